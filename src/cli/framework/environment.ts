/** The environment variables the commands read, for `svc help environment`. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  SVC_HOME: 'home of the daemon and of stored credentials; default $XDG_DATA_HOME/svc or ~/.local/share/svc',
  SVC_URL: 'daemon to talk to; default: the daemon of the home, otherwise http://127.0.0.1:5000',
  SVC_API_KEY: 'API key for the API commands (order, position, trade, holding, fund)',
  SVC_TOKEN: 'personal access token for the session commands; overrides the stored session',
  SVC_PORT: 'HTTP port of svc up; default 5000, 0 picks a free one',
  SVC_WS_PORT: 'market-data WebSocket port of svc up; default 8765',
  XDG_DATA_HOME: 'folder of the default home',
  NO_COLOR: 'not empty: no colour',
  FORCE_COLOR: 'not empty: colour even in a pipe; 0: none (CLICOLOR_FORCE likewise)',
  TERM: 'dumb: no colour',
}
