const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/** Returns whether a text is a version such as `0.2.0` or `1.0.0-rc.1`. */
export const isVersion = (text: string): boolean => VERSION.test(text)

/** Returns a number below, at or above 0 for an older, the same or a newer version, in the order of Semantic Versioning. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [VERSION.exec(left), VERSION.exec(right)]
  if (!a || !b) throw new Error(`${a ? right : left} is no version`)
  for (const part of [1, 2, 3]) {
    const difference = Number(a[part]) - Number(b[part])
    if (difference !== 0) return difference
  }
  return comparePreviews(a[4], b[4])
}

/** Returns whether a version is newer than another one. */
export const isNewer = (version: string, than: string): boolean => compareVersions(version, than) > 0

/**
 * Returns whether a version of Node satisfies a range of the form `>=20.19`, as the packages of svc have it. Undefined for another
 * form: npm checks the range again.
 */
export function satisfies(node: string, range: string): boolean | undefined {
  const [, major, minor = '0', patch = '0'] = /^>=\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range.trim()) ?? []
  return major === undefined ? undefined : compareVersions(node, `${major}.${minor}.${patch}`) >= 0
}

/** A preview comes before its release. */
function comparePreviews(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === undefined) return 1
  if (right === undefined) return -1
  const [a, b] = [left.split('.'), right.split('.')]
  for (const [index, word] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (word === other) continue
    const [isNumber, isOtherNumber] = [/^\d+$/.test(word), /^\d+$/.test(other)]
    if (isNumber && isOtherNumber) return Number(word) - Number(other)
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
    return word < other ? -1 : 1
  }
  return a.length - b.length
}
