import { type Clock, readingOf } from '../time/index.js'
import { addressGroup } from './address.js'
import { AddressSet } from './address-set.js'
import type { Ban } from './schema.js'

/** The addresses whose group is remembered. The group of an IPv6 address costs more than the look-up. */
const MAX_GROUPS = 4096
/** The number of bans. When there are more, the oldest automatic ban makes room. */
const MAX_BANS = 250_000

/**
 * All bans in memory, so that every request can be checked at the cost of one look-up. Bans that have ended
 * are kept too, as the history of their client; they refuse nobody.
 */
export class BanList {
  readonly #bans: Map<string, Ban>
  readonly #groups = new Map<string, string>()
  /** The monotonic readings at which bans end: the clock may be set. */
  readonly #ends = new WeakMap<Ban, number>()

  constructor(
    bans: readonly Ban[],
    private readonly clock: Clock,
    /** The addresses that no ban refuses, also not one of their network. */
    private readonly owners = new AddressSet([]),
  ) {
    this.#bans = new Map(bans.map((ban) => [ban.address, ban]))
    for (const ban of bans) this.#noteEnd(ban)
  }

  /** True if the list has any ban, so that most services need not even find out the address of a caller. */
  get hasAny(): boolean {
    return this.#bans.size > 0
  }

  /** Returns whether a ban refuses an address. @param address in its canonical form */
  isBanned(address: string): boolean {
    // A ban of its network must not lock the owner out of this machine.
    if (address === '::1') return false
    return this.isListed(this.#groupOf(address)) && !this.owners.has(address)
  }

  /** Returns whether the ban of a group is in force. */
  isListed(group: string): boolean {
    const ban = this.#bans.get(group)
    return ban !== undefined && this.#isActive(ban)
  }

  /** Returns the ban of a client, which may have ended. */
  get(group: string): Ban | undefined {
    return this.#bans.get(group)
  }

  /** Adds or replaces a ban. @returns the ban that made room, if one had to */
  set(ban: Ban): Ban | undefined {
    this.#bans.delete(ban.address)
    this.#bans.set(ban.address, ban)
    this.#noteEnd(ban)
    if (this.#bans.size <= MAX_BANS) return undefined
    const oldest = this.#oldestAutomatic(ban)
    if (oldest) this.#bans.delete(oldest.address)
    return oldest
  }

  delete(group: string): void {
    this.#bans.delete(group)
  }

  /** Returns the bans in force, newest first. */
  active(): Ban[] {
    return [...this.#bans.values()]
      .filter((ban) => this.#isActive(ban))
      .sort((a, b) => b.bannedAt - a.bannedAt)
  }

  /** Returns the clients whose ban ended before an instant. */
  endedBefore(instant: number): string[] {
    return [...this.#bans.values()]
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt < instant)
      .map(({ address }) => address)
  }

  #noteEnd(ban: Ban): void {
    const { bannedAt, expiresAt } = ban
    if (expiresAt !== null) this.#ends.set(ban, readingOf(this.clock, bannedAt) + expiresAt - bannedAt)
  }

  #isActive(ban: Ban): boolean {
    return ban.expiresAt === null || this.clock.monotonic() < (this.#ends.get(ban) ?? 0)
  }

  #groupOf(address: string): string {
    if (!address.includes(':')) return address
    const known = this.#groups.get(address)
    if (known !== undefined) return known
    if (this.#groups.size >= MAX_GROUPS) this.#groups.clear()
    const group = addressGroup(address)
    this.#groups.set(address, group)
    return group
  }

  #oldestAutomatic(newest: Ban): Ban | undefined {
    for (const ban of this.#bans.values()) {
      if (ban !== newest && ban.source.endsWith('_detector')) return ban
    }
    return undefined
  }
}
