/**
 * The words that people make passwords of: names of keys, days, gods, cities, brokers. A rule that wants digits and signs gets
 * them around such a word. Kept by hand, in lower case.
 */
const WORDS = new Set(
  `
  password passwd pass pwd welcome admin administrator root user guest login letmein changeme change default secret test testing tester temp temporary
  qwerty qwertyui qwertyuiop qwert asdf asdfgh asdfghjkl zxcvb zxcvbn zxcvbnm qaz qazwsx abc abcd abcde abcdef abcdefg abcdefgh aaaa aaaaaa xyz
  iloveyou love lovely loveyou monkey dragon master sunshine princess shadow superman batman football baseball cricket hello freedom whatever trustno
  computer internet server system manager company office oracle google facebook apple samsung microsoft windows linux
  summer winter spring autumn january february march april june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday
  india indian bharat hindustan mumbai delhi chennai kolkata bangalore bengaluru hyderabad pune gujarat kerala
  krishna ganesh ganesha shiva mahadev sairam omsairam jaishreeram jaihind lakshmi hanuman rahul rohit sachin dhoni virat kohli
  family friend friends baby angel mother father mummy papa money lucky happy
  trade trader trading market stock stocks nifty banknifty sensex broker zerodha kite upstox dhan algo openalgo
  `
    .trim()
    .split(/\s+/),
)

/** Signs that stand for letters within a word. */
const LETTERS: Readonly<Record<string, string>> = { '@': 'a', $: 's' }

/** Returns whether a password is a common word with digits and signs before it or after it: `Welcome@123`. */
export function isCommonWord(password: string): boolean {
  const [inner = ''] = /\p{L}(.*\p{L})?/su.exec(password.toLowerCase()) ?? []
  return WORDS.has(inner.replace(/[@$]/g, (sign) => LETTERS[sign] ?? sign))
}
