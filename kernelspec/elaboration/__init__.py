"""From the syntax tree to the kernel tree: names, arguments, columns, parameters, forms.

Every word of a spec gets its meaning here, and every mistake in meaning its place in the text.
"""
