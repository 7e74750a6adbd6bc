/** Matches `<!-- generated: name -->` … `<!-- /generated -->`; the generator owns the text between them. */
const SECTION = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g

/**
 * Returns a document with new content in its generated sections. @throws Error when a section has no source
 */
export function withSections(text: string, sections: ReadonlyMap<string, string>): string {
  return text.replace(SECTION, (_whole, opening: string, name: string, closing: string) => {
    const content = sections.get(name)
    if (content === undefined) throw new Error(`nothing generates the section "${name}"`)
    return `${opening}\n${content}\n\n${closing}`
  })
}

/** Returns the names of the generated sections in a document. */
export function sectionsOf(text: string): string[] {
  return [...text.matchAll(SECTION)].map((match) => match[2] ?? '')
}
