import { useStdout } from 'ink'
import { useEffect, useState } from 'react'

export interface Size {
  columns: number
  /** The rows that a program may fill: one row under the terminal's height. */
  rows: number
}

/** The area of a part of the screen, in cells. */
export interface Area {
  width: number
  height: number
}

/** Returns the size of the terminal, and draws again when it changes. */
export function useSize(): Size {
  const { stdout } = useStdout()
  const [size, setSize] = useState(() => sizeOf(stdout))
  useEffect(() => {
    const onResize = () => setSize(sizeOf(stdout))
    stdout.on('resize', onResize)
    return () => void stdout.off('resize', onResize)
  }, [stdout])
  return size
}

function sizeOf({ columns, rows }: { columns?: number; rows?: number }): Size {
  return { columns: columns ?? 80, rows: (rows ?? 24) - 1 }
}
