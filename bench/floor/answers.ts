import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('./answer-server.ts', import.meta.url))

/**
 * The floor of a query: the same server stack reads the body and sends the same answer, prepared in advance.
 */
export class AnswerFloor {
  readonly path = '/answer'

  private constructor(
    readonly port: number,
    private readonly process: ChildProcess,
  ) {}

  static async start(): Promise<AnswerFloor> {
    const server = fork(SERVER, { execArgv: ['--import', 'tsx'] })
    const [port] = (await once(server, 'message')) as [number]
    return new AnswerFloor(port, server)
  }

  /** Sets the text that answers every query from now on. */
  async say(text: string): Promise<void> {
    const taken = once(this.process, 'message')
    this.process.send(text)
    await taken
  }

  stop(): void {
    this.process.kill()
  }
}
