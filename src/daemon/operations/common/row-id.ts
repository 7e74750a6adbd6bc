/** Returns the id in a path. A text that is no id returns 0, which no row has: the answer is 404. */
export function rowId(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
}
