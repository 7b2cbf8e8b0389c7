"""Formulas of one real variable, written by the user: evaluated, differentiated, enclosed and proved convex."""
