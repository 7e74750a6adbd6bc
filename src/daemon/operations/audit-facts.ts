/** Values that routes and chats change, so that their acts wait for each other. */
export type SharedTurn = 'contacts' | 'mode'

/** The request of an act, as far as every route has it. */
export interface ActRequest<Source> {
  service: Source
  username: string
  params: Readonly<Record<string, string>>
}

/** How the audit trail records an operation. */
export interface Recorded<Source> {
  /** The name of the act: its area and its verb. */
  act: string
  /**
   * Returns the values that the act changes, without secrets. It is called before and after the act, and the
   * trail gets the members that differ.
   */
  values?: (request: ActRequest<Source>) => unknown
  /**
   * The act takes power away, so it must take place also while the disk stores nothing: it is recorded afterwards.
   */
  emergency?: true
  /** The values are those of the target alone, so acts with other targets do not wait for this one. */
  ofTarget?: true
  /** Acts from chats change the values, too. */
  turn?: SharedTurn
}

/** Why the audit trail does not record a changing operation. */
export interface NotRecorded {
  unrecorded: string
}
