import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url))

/** The floor in its own process. */
export class Floor {
  private constructor(
    readonly port: number,
    readonly path: string,
    private readonly process: ChildProcess,
  ) {}

  /** @param folder the folder of its database */
  static async start(folder: string): Promise<Floor> {
    const server = fork(SERVER, [folder], { execArgv: ['--import', 'tsx'] })
    const [port] = (await once(server, 'message')) as [number]
    return new Floor(port, '/order', server)
  }

  stop(): void {
    this.process.kill()
  }
}
