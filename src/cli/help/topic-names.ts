/** The topics of `svc help`, each with the line that lists it. */
export const TOPIC_SUMMARIES = {
  environment: 'variables that commands read',
  'exit-codes': 'what each exit status means',
  output: 'tables, JSON, CSV, columns, jq and templates',
  filters: 'the options that choose rows',
  time: 'how times and durations are written and shown',
  contexts: 'which daemon a command talks to, and with which credential',
  aliases: 'your own names for command lines',
  grammar: 'the words of svc do, such as b 10 sbin 965',
  files: 'files of the home and of the contexts',
} as const

export type TopicName = keyof typeof TOPIC_SUMMARIES

export const TOPIC_NAMES: readonly string[] = Object.keys(TOPIC_SUMMARIES)
