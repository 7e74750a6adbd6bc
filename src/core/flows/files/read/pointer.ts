/** The keys and positions from the root of a document to one of its values. */
export type Path = readonly (string | number)[]

/** A JSON pointer (RFC 6901). */
export function pointerOf(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The parts of a JSON pointer, all as text. */
export function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
