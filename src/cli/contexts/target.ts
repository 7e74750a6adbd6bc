import type { Trust } from '../../client/transport/agents.js'
import type { GlobalSettings } from '../framework/globals.js'
import { homePort, readDaemonFile } from '../io/home.js'
import type { Io } from '../io/io.js'
import { keptAuthorities, readAuthorities } from './authorities.js'
import { contextFolder, daemonNamed, readContexts } from './file.js'
import { type ContextColour, isLoopback, LOCAL } from './words.js'

/** The daemon a command talks to, and where its address comes from. */
export interface Target {
  url: string
  source: 'named' | 'home' | 'default' | 'context'
  /** The folder of its credentials. */
  folder: string
  /** How it must prove who it is. */
  trust: Trust
  /** The context; undefined for the local home and for an address that the user named. */
  context: ShownContext | undefined
  /** True if SVC_API_KEY and SVC_TOKEN are for this daemon. */
  ownsEnvironment: boolean
  /** True for a context that nothing names: it is the current one. */
  isCurrent?: true
}

/** A context as banners, questions and the terminal program show it. */
export interface ShownContext {
  name: string
  colour: ContextColour | undefined
}

export type TargetSettings = Pick<GlobalSettings, 'home' | 'daemon' | 'ownsEnvironment' | 'caFile'>

/**
 * Returns the daemon to talk to: `--url` or `--context` > `SVC_URL` > `--home` > `SVC_CONTEXT` > `SVC_HOME` > the current
 * context. The local home is its `daemon.json`, otherwise its own port.
 */
export function resolveTarget(settings: TargetSettings, io: Pick<Io, 'env' | 'userHome'>): Target {
  const { caFile, daemon, home, ownsEnvironment } = settings
  const given = caFile && readAuthorities(caFile.path, caFile.from)
  const ca = given === undefined ? {} : { ca: given }
  if (daemon !== undefined && 'url' in daemon) {
    return { url: daemon.url, source: 'named', folder: home, trust: ca, context: undefined, ownsEnvironment }
  }
  const isNamed = daemon !== undefined
  if (isNamed && daemon.context === LOCAL) return localTarget(settings, io)
  const contexts = readContexts(io)
  const name = daemon?.context ?? contexts.current
  if (name === LOCAL) return localTarget(settings, io)
  const { colour, id, url } = daemonNamed(contexts, name)
  const folder = contextFolder(io, name)
  return {
    url,
    source: 'context',
    folder,
    trust: { id, ca: given ?? keptAuthorities(folder) },
    context: { name, colour },
    // Variables that nobody meant for a context stay away from the one that happens to be current.
    ownsEnvironment: isNamed && ownsEnvironment,
    ...(!isNamed && { isCurrent: true }),
  }
}

function localTarget({ home, ownsEnvironment }: TargetSettings, io: Pick<Io, 'env'>): Target {
  const file = readDaemonFile(home)
  const own = { folder: home, context: undefined, ownsEnvironment }
  return file
    ? { ...own, url: file.url, source: 'home', trust: { id: file.id } }
    : { ...own, url: `http://127.0.0.1:${homePort(home, io.env)}`, source: 'default', trust: {} }
}

/**
 * Returns the current address of the home's daemon if `target` is that daemon. Otherwise `target` stays, also
 * while the home names no daemon: a credential must not reach another address.
 */
export function refreshedTarget(target: Target, settings: TargetSettings, io: Pick<Io, 'env'>): Target {
  if (target.source !== 'home') return target
  const now = localTarget(settings, io)
  return now.source === 'home' ? now : target
}

/** Returns whether the daemon is that of the home, and not one that the user or a context names. */
export const isAtHome = ({ source }: Pick<Target, 'source'>): boolean =>
  source === 'home' || source === 'default'

/** Returns whether the daemon is one that `svc up` on this machine may start. */
export function isLocal({ context, source, url }: Pick<Target, 'context' | 'source' | 'url'>): boolean {
  return context === undefined && (source !== 'named' || isLoopback(url))
}
