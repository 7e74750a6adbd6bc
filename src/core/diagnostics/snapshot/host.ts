import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import {
  arch,
  cpus,
  freemem,
  machine,
  platform,
  release,
  type as systemType,
  totalmem,
  version,
} from 'node:os'

const MEBIBYTE = 1_048_576
const GIBIBYTE = 1024 * MEBIBYTE
const TERMUX = '/data/data/com.termux'

/** Returns the operating system. A fact that the machine does not reveal is null. */
export function hostFacts() {
  const model = fileText('/proc/device-tree/model')
  const isPi = model?.startsWith('Raspberry Pi') ?? false
  return {
    system: systemType(),
    release: release(),
    version: version(),
    machine: machine(),
    platform: `${platform()}-${arch()}`,
    distro: distribution(),
    in_docker: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    is_raspberry_pi: isPi,
    rpi_model: isPi ? (model ?? null) : null,
    is_termux: existsSync(TERMUX),
    is_android: platform() === 'android' || existsSync(TERMUX),
  }
}

/** Returns processors, memory, and the disks of the logs and of the databases. */
export async function hardwareFacts(folders: { log: string; databases: string }) {
  const [total, free] = [totalmem(), freemem()]
  const processors = cpus()
  return {
    cpu_count: processors.length,
    cpu_model: processors[0]?.model.trim() || null,
    memory_total_mb: Math.round(total / MEBIBYTE),
    memory_available_mb: Math.round(free / MEBIBYTE),
    memory_percent: percent(total - free, total),
    disk_log: await diskOf(folders.log),
    disk_db: await diskOf(folders.databases),
  }
}

async function diskOf(folder: string) {
  const disk = await statfs(folder).catch(() => undefined)
  if (disk === undefined || disk.blocks === 0) return null
  return {
    total_gb: hundredths((disk.blocks * disk.bsize) / GIBIBYTE),
    free_gb: hundredths((disk.bavail * disk.bsize) / GIBIBYTE),
    used_percent: percent(disk.blocks - disk.bavail, disk.blocks),
  }
}

function distribution() {
  const text = fileText('/etc/os-release')
  if (text === undefined) return null
  const entry = (name: string) =>
    new RegExp(`^${name}=(["']?)(.*)\\1$`, 'm').exec(text)?.[2]?.slice(0, 200) || null
  return { name: entry('NAME'), id: entry('ID'), version_id: entry('VERSION_ID') }
}

/** Returns the text of a small file of the system; undefined if there is none. */
function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replaceAll('\0', '').trim()
  } catch {
    return undefined
  }
}

const hundredths = (value: number) => Math.round(value * 100) / 100
const percent = (part: number, whole: number) => Math.round((part / whole) * 1000) / 10
