/** Returns a function that prepares a value on its first call. A failure is not cached. */
export function cached<Value>(prepare: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => {
    value ??= prepare().catch((error: unknown) => {
      value = undefined
      throw error
    })
    return value
  }
}
