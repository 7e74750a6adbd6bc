/** `<!-- generated: name -->` … `<!-- /generated -->`; what is between belongs to the generator. */
const SECTION = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g

/** A document with the content of its generated sections renewed. @throws Error when a section has no source */
export function withSections(text: string, sections: ReadonlyMap<string, string>): string {
  return text.replace(SECTION, (_whole, opening: string, name: string, closing: string) => {
    const content = sections.get(name)
    if (content === undefined) throw new Error(`nothing generates the section "${name}"`)
    return `${opening}\n${content}\n\n${closing}`
  })
}

/** The names of the generated sections that a document holds. */
export function sectionsOf(text: string): string[] {
  return [...text.matchAll(SECTION)].map((match) => match[2] ?? '')
}
