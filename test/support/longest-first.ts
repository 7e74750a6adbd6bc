import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A long file may look small. Begun last, it would run alone while a core is idle. */
const LONG = [
  /\/e2e\/(cli\/examples|pages|documentation)\.test/,
  /\/crash\//,
  /\/strategies\/runs\/account\//,
]

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((path) => path.test(moduleId))
  return at === -1 ? LONG.length : at
}

/** Begins the files of a project that take longest first, also when no earlier run has measured them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = new Map<string, TestSpecification[]>()
    for (const file of sorted) {
      const { name } = file.project
      projects.set(name, [...(projects.get(name) ?? []), file])
    }
    return [...projects.values()].flatMap((ofProject) =>
      ofProject.sort((one, other) => rank(one) - rank(other)),
    )
  }
}
