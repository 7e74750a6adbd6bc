/**
 * What came of starting a run: it ran (well or not), the workflow was running already, it was not wanted any more
 * (gone, inactive, outside its hours), or nothing could be started now.
 */
export type FireOutcome = 'executed' | 'already_running' | 'dropped' | 'refused'
