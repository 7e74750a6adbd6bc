/** What some editors, shells and spreadsheets write before a text in UTF-8, and a spreadsheet needs to read it as such. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** Returns the text of a file or a stream: a byte order mark before it is no part of its first name or value. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text
}
