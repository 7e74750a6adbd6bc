/**
 * The result of starting a run. `executed`: it ran, with success or failure. `already_running`: the workflow
 * was running. `dropped`: the workflow is gone, inactive or outside its hours. `refused`: no run could start
 * now.
 */
export type FireOutcome = 'executed' | 'already_running' | 'dropped' | 'refused'
