import { EventEmitter } from 'node:events'
import { render as inkRender } from 'ink'
import type { ReactNode } from 'react'
import { onTestFinished } from 'vitest'

/** The output of a terminal. It keeps the last frame. */
class Screen extends EventEmitter {
  readonly columns: number
  last: string | undefined

  constructor(columns: number) {
    super()
    this.columns = columns
  }

  write(frame: string): boolean {
    this.last = frame
    return true
  }
}

/** The keyboard of a terminal. */
class Keyboard extends EventEmitter {
  readonly isTTY = true
  #data: string | null = null

  write(data: string): void {
    this.#data = data
    this.emit('readable')
    this.emit('data', data)
  }

  read(): string | null {
    const data = this.#data
    this.#data = null
    return data
  }

  setEncoding(): void {}
  setRawMode(): void {}
  resume(): void {}
  pause(): void {}
  ref(): void {}
  unref(): void {}
}

/** Draws on a terminal in memory until the test ends. */
export function render(node: ReactNode, columns = 100) {
  const stdout = new Screen(columns)
  const stdin = new Keyboard()
  const app = inkRender(node, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: new Screen(columns) as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  onTestFinished(() => {
    app.unmount()
    app.cleanup()
  })
  return { rerender: app.rerender, unmount: app.unmount, stdin, lastFrame: () => stdout.last }
}
