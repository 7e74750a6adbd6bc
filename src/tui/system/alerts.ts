import type { Change } from '../live/changes/changes.js'
import type { Alert } from './feeds/health.js'

/** Marks a health alert as seen, or closes it. */
export function alertChange({ id }: Alert, act: 'acknowledge' | 'resolve', onAnswer: () => void): Change {
  return {
    name: `Alert ${id}`,
    check: 'svc admin health alerts',
    onAnswer,
    async send(client) {
      const params = { id: String(id) }
      const { message } = await client.request(`POST /health/api/alerts/:id/${act}`, { params })
      return `${message}.`
    },
  }
}
