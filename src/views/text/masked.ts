/** Shortens a secret for display: enough to recognise it, too little to use it. */
export function masked(secret: string): string {
  return secret.length <= 12 ? '*'.repeat(secret.length) : `${secret.slice(0, 4)}…${secret.slice(-4)}`
}
