/** The characters that separate addresses or comments in a mail header are refused, so an address is always one. */
const ADDRESS = /^[^\s@\p{C}<>()[\]\\,;:"]+@[^\s@\p{C}<>()[\]\\,;:"]+\.[a-z]{2,}$/iu

/** Returns whether a text is one e-mail address, `local@domain.tld`. */
export function isEmailAddress(text: string): boolean {
  return ADDRESS.test(text)
}
