"""From the syntax tree to the kernel tree: names, arguments, columns, parameters, forms."""
