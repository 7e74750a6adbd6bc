import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface KeptFile {
  path: string
  content: Buffer
  mode: number
}

/**
 * A folder that is slow to make and always the same, such as a home after its first start. This process makes
 * it once, keeps it in memory, and writes a copy for each test that needs one.
 */
export class PreparedFolder {
  #files: Promise<readonly KeptFile[]> | undefined

  /** @param make fills an empty folder, and has closed every file in it when it resolves */
  constructor(private readonly make: (folder: string) => Promise<void>) {}

  /** Writes a copy into an empty folder. */
  async writeTo(folder: string): Promise<void> {
    this.#files ??= this.#made()
    for (const { path, content, mode } of await this.#files) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content, { mode })
    }
  }

  async #made(): Promise<KeptFile[]> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-prepared-'))
    try {
      await this.make(folder)
      return filesIn(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function filesIn(folder: string): KeptFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => ({
      path,
      content: readFileSync(join(folder, path)),
      mode: statSync(join(folder, path)).mode & 0o777,
    }))
}
