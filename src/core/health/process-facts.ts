import { readdir, readFile } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import process from 'node:process'

const MEGABYTE = 1024 * 1024
const KILOBYTES_PER_MEGABYTE = 1024

/** The process as the operating system sees it. Facts that only Linux gives are null elsewhere. */
export interface ProcessFacts {
  fdCount: number | null
  fdLimit: number | null
  rssMb: number
  vmsMb: number | null
  swapMb: number | null
  totalMb: number
  availableMb: number
  threads: number | null
}

/** Reads the facts of this process, without blocking the event loop. */
export async function processFacts(): Promise<ProcessFacts> {
  const [descriptors, limits, status, memory] = await Promise.all([
    readdir('/proc/self/fd').catch(() => undefined),
    fileText('/proc/self/limits'),
    fileText('/proc/self/status'),
    fileText('/proc/meminfo'),
  ])
  const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return {
    // The read itself opens one descriptor.
    fdCount: descriptors ? descriptors.length - 1 : null,
    fdLimit: limit === undefined ? null : Number(limit),
    rssMb: process.memoryUsage.rss() / MEGABYTE,
    vmsMb: megabytes(status, 'VmSize'),
    swapMb: megabytes(status, 'VmSwap'),
    totalMb: totalmem() / MEGABYTE,
    availableMb: megabytes(memory, 'MemAvailable') ?? freemem() / MEGABYTE,
    threads: numberOf(status, 'Threads'),
  }
}

const fileText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

function numberOf(text: string, name: string): number | null {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]
  return found === undefined ? null : Number(found)
}

function megabytes(text: string, name: string): number | null {
  const kilobytes = numberOf(text, name)
  return kilobytes === null ? null : kilobytes / KILOBYTES_PER_MEGABYTE
}
