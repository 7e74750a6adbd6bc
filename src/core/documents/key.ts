const KEY = /^[a-z0-9][a-z0-9-]{0,99}$/

/** The rule for the id of a file. */
export const KEY_RULE = 'lower-case letters, digits and hyphens, at most 100'

/** Returns whether a text can be the id by which a file is known across machines. */
export function isKey(text: string): boolean {
  return KEY.test(text)
}

/** Returns an id from the name of a file without its extension. */
export function keyOf(file: string): string {
  const name = file.split(/[/\\]/).at(-1) ?? ''
  return name
    .replace(/\.(ya?ml|json)$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}
