/** The fields of an answer when the request was queued for approval instead of executed. */
export interface Queued {
  message: string
  mode: 'semi_auto'
  pending_order_id: number
  /** Why an approval would be refused now. */
  warning?: string | undefined
}

/** Returns true when the answer says that the request waits for approval. */
export function isQueued<T extends object>(body: T): body is T & Queued {
  return 'pending_order_id' in body
}
