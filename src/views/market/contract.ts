/** The months as the symbols of contracts spell them, as the choices of a pattern. */
export const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC'
