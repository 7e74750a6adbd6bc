/* What is special about single examples of the help texts. */

const LIFECYCLE = 'starts or stops a daemon: test/e2e/cli/lifecycle.test.ts'
const PASSWORD_PROMPT = 'a person types a password: test/e2e/cli/setup.test.ts does so'
const NO_INTERNET = 'fetches something from the internet'
const BROKER = 'needs an account at a broker'
const UNPREPARED = 'the home of this test lacks what it needs; other tests of the command run it'
const RESERVED = 'needs a run that no start could restore: test/crash/strategy-restore.test.ts'
const NEW_PASSWORD = 'changes the password of the account of this test: test/e2e/cli/password.test.ts'
const SECOND_FACTOR = 'the account of this test would need a code from then on: test/e2e/cli/totp.test.ts'
const NEW_SECRET = 'needs a terminal: test/e2e/cli/totp.test.ts'
const NO_ASSISTANT = 'no assistant has registered: test/e2e/cli/admin-mcp.test.ts runs it'
const BY_THE_HOUR = 'its status depends on the hour: test/e2e/cli/market-hours.test.ts'
const NO_BASKET = 'no basket was sent under this key: test/e2e/cli/basket.test.ts runs it'
const BY_FILTER = 'decides on orders that other examples need: test/e2e/cli/approvals.test.ts runs it'
const OWN_IDS = 'test/e2e/cli/why.test.ts runs it with ids of its own'
const ELSEWHERE = 'needs daemons elsewhere: test/cli/commands/context.test.ts and every-context.test.ts'
const SAVED_PLAN = 'needs a plan of the same moment: test/cli/commands/flow/plans.test.ts saves some'
const VERSION = 'expects a version of its own: test/cli/commands/flow/expect.test.ts'
const STRATEGY_VERSION = 'has versions of its own: test/cli/commands/strategy/versions.test.ts'
const INSTALLED = 'replaces an installed package: test/e2e/upgrade.test.ts'
const SELF_CHECK = 'starts a daemon of its own: test/e2e/cli/self-check.test.ts runs it'
const NO_CHAT = 'a chat is linked by Telegram'

/** The examples that do not run, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  up: LIFECYCLE,
  'up --detach': LIFECYCLE,
  'up --home ./desk --port 0 --detach': LIFECYCLE,
  down: LIFECYCLE,
  'down --home ./desk': LIFECYCLE,
  'down --force': LIFECYCLE,
  'context add prod --url https://desk.example.com --color red': ELSEWHERE,
  'context add prod --url https://desk.example.com --token-stdin < token.txt': ELSEWHERE,
  'context add lab --url https://lab.internal --ca-file ./lab-ca.pem': ELSEWHERE,
  'context use prod': ELSEWHERE,
  'context use local': ELSEWHERE,
  'context rename prod desk': ELSEWHERE,
  'context remove prod': ELSEWHERE,
  'context remove prod --yes': ELSEWHERE,
  'context status': ELSEWHERE,
  'context status --json': ELSEWHERE,
  'context status --timeout 5s': ELSEWHERE,
  'order list --context prod': ELSEWHERE,
  'risk kill --all-contexts --reason "bad feed"': ELSEWHERE,
  'status --url http://127.0.0.1:5000': 'the daemon of the test has another port',
  'open docs --url http://127.0.0.1:5000': 'the daemon of the test has another port',
  'order settle S1M8… --outcome accepted --orderid 250408000989443 --reason "seen in the order book"':
    UNPREPARED,
  'flow apply flows/opening-range-breakout.yaml --expect 4': UNPREPARED,
  'flow apply monday.plan.json': SAVED_PLAN,
  'strategy apply monday.plan.json': SAVED_PLAN,
  'flow activate opening-range-breakout --expect 4': VERSION,
  'flow delete old-breakout --expect 4 --yes': VERSION,
  'flow rollback opening-range-breakout 5 --expect 7': VERSION,
  'admin mcp approve Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4': NO_ASSISTANT,
  'admin mcp revoke Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4 --yes': NO_ASSISTANT,
  'admin mcp kill --yes': NO_ASSISTANT,
  'flow cancel 42': UNPREPARED,
  tui: 'needs a terminal: test/e2e/cli/tui.test.ts',
  'tui --screen market': 'needs a terminal: test/e2e/cli/tui.test.ts',
  'strategy watch': 'needs a terminal: test/e2e/cli/strategy-watch.test.ts',
  'strategy rollback morning-straddle 3': STRATEGY_VERSION,
  'strategy rollback morning-straddle 3 --expect 5 --yes': STRATEGY_VERSION,
  'strategy start 1': UNPREPARED,
  'strategy start morning-straddle --mode live --yes': UNPREPARED,
  'strategy start morning-straddle --now --mode live --yes': UNPREPARED,
  'strategy stop 1': UNPREPARED,
  'strategy stop morning-straddle --json': UNPREPARED,
  'strategy release 1 --reason "closed in the app of the broker"': RESERVED,
  'strategy release morning-straddle --run 5 --reason "never held anything" --yes': RESERVED,
  'strategy close 1': UNPREPARED,
  'strategy close 1 --leg 2': UNPREPARED,
  login: PASSWORD_PROMPT,
  'password change': NEW_PASSWORD,
  'password change --password-stdin < passwords.txt': NEW_PASSWORD,
  'password reset --email asha@example.org': NEW_PASSWORD,
  'password reset --email asha@example.org --password-stdin --totp-stdin < secrets.txt': NEW_PASSWORD,
  'totp configure on': SECOND_FACTOR,
  'totp configure on --require login,password-reset': SECOND_FACTOR,
  'totp configure off --totp-stdin < code.txt': SECOND_FACTOR,
  'totp rotate': NEW_SECRET,
  'market open': BY_THE_HOUR,
  'market open MCX': BY_THE_HOUR,
  'market open && svc quote NSE:SBIN': BY_THE_HOUR,
  'market hours': BY_THE_HOUR,
  'order basket basket.json --retry-failed --idempotency-key morning-1': NO_BASKET,
  'approval approve --strategy demo --max-value 50000 --max-drift 0.5 --yes': BY_FILTER,
  'approval reject --symbol NSE:SBIN --reason "too late" --yes': BY_FILTER,
  'why 26112045901458': OWN_IDS,
  'why approval:12': OWN_IDS,
  'why morning-entry-7': OWN_IDS,
  'why 26112045901458 -o json': OWN_IDS,
  'upgrade --check': INSTALLED,
  upgrade: INSTALLED,
  'upgrade --to 0.2.0 --yes': INSTALLED,
  'upgrade --back': INSTALLED,
  'version --check': 'asks the registry of npm: test/e2e/upgrade.test.ts has one',
  demo: 'test/e2e/cli/lifecycle.test.ts runs it',
  'demo --keep':
    'leaves a daemon and a folder behind; test/e2e/cli/lifecycle.test.ts runs the same without --keep',
  'self-check': SELF_CHECK,
  'self-check --json': SELF_CHECK,
  'curl … | svc flow import -': NO_INTERNET,
  'curl … | svc broker sync --from -': NO_INTERNET,
  'curl … | svc admin freeze upload NFO - --yes': NO_INTERNET,
  'broker login --from credentials.json': BROKER,
  'pass show broker | svc broker login --from -': BROKER,
}

/** The examples that end with another status than 0. */
export const STATUS: Readonly<Record<string, readonly [exit: number, why: string]>> = {
  'live check': [1, 'the home of this test trades at the simulated exchange'],
  'live check INFY NSE': [1, 'the home of this test trades at the simulated exchange'],
  'live check --json': [1, 'the home of this test trades at the simulated exchange'],
  setup: [5, 'the home has a user'],
  'setup --username alice --email alice@example.com --password-stdin < password.txt': [
    5,
    'the home has a user',
  ],
  'setup --username alice --email alice@example.com --password-stdin --json < password.txt': [
    5,
    'the home has a user',
  ],
  'order settle S1M8… --outcome rejected --reason "not in the order book" --yes': [
    5,
    "the broker's book cannot be read here, so the order may be in it",
  ],
  'order settle S1M8… --outcome filled --price 812.4 --reason "in the contract note" --yes': [
    5,
    "the broker's book cannot be read here, so the order may be in it",
  ],
  'strategy plan strategies': [9, 'the strategies are not applied yet'],
  'strategy plan strategies --prune --json': [9, 'the strategies are not applied yet'],
  'strategy plan strategies --out monday.plan.json': [9, 'the strategies are not applied yet'],
  'strategy drift strategies': [9, 'the strategies are not applied yet'],
  'strategy diff morning-straddle 3': [4, 'it has no third version'],
  'strategy diff 1 3 5 --json': [4, 'it has no third version'],
  'strategy diff flows/strategies/short-straddle.yaml': [4, 'the strategy is not applied yet'],
  'strategy rollback 1 3 --yes': [4, 'it has no third version'],
  'strategy orderbook 1 --run 3 --json': [4, 'it has no third run'],
  'strategy tradebook 1 --run 3 -o csv': [4, 'it has no third run'],
  'strategy positions 1 --run 3 --json': [4, 'it has no third run'],
  'admin health acknowledge 3': [4, 'nothing raised a third alert'],
  'admin health resolve 3': [4, 'nothing raised a third alert'],
  'login --username alice --password-stdin < password.txt': [3, 'the home has another user'],
  'login --username alice --password-stdin --totp-stdin < password-and-code.txt': [
    3,
    'the home has another user',
  ],
  'password reset --email asha@example.org --link': [5, 'no mail server is set'],
  'smtp debug': [1, 'there is no mail server'],
  'smtp debug --json': [1, 'there is no mail server'],
  'smtp test asha@example.org': [5, 'there is no mail server'],
  'ban add-host scanner.example': [4, 'nobody has called this host'],
  'ban add-host scanner.example --permanent --yes': [4, 'nobody has called this host'],
  'ban clear-404 203.0.113.7': [4, 'the address has called no unknown path'],
  'flow plan flows': [9, 'the workflows differ from their files'],
  'flow diff opening-range-breakout': [9, 'its last version changed it'],
  'flow diff opening-range-breakout@3 opening-range-breakout@5': [9, 'the versions have other names'],
  'flow diff flows/opening-range-breakout.yaml flows/price-alert-exit.yaml --json': [9, 'two workflows'],
  'message test telegram': [4, NO_CHAT],
  'message preferences telegram --trades off': [4, NO_CHAT],
  'message preferences telegram --at 16:00': [4, NO_CHAT],
  'message retry 12': [4, 'only a channel that refuses a message for good makes it dead'],
  'broker sync --from instruments.csv': [5, 'a list much smaller than the present one needs --force'],
}

/** A token of the right form. */
export const BOT_TOKEN = '123456789:abcdefghijklmnopqrstuvwxyz'

/** The answers of a person to the questions of a command. */
export const TYPES: readonly (readonly [example: RegExp, line: string])[] = [
  [/^(analyze off|mode set auto|broker use simulated)$/, 'LIVE'],
  [/^sandbox reset$/, 'RESET'],
  [/^risk resume$/, 'RESUME'],
  [/^flow secret set telegram$|^smtp set .*--password$/, 'secret'],
  [/^message channel telegram --token$/, BOT_TOKEN],
  [
    /^(token revoke|apikey rotate|session revoke|order (cancel-all|settle)|position close-all|broker logout|flow (delete|secret remove|webhook rotate)|strategy (delete|live .* on|token rotate)|approval (delete|approve-all)|login-activity --clear|ban (add|remove|add-host)|admin (freeze (delete|upload)|holiday delete|timing set)|config rotate-key|totp recover)\b(?!.*--yes)/,
    'y',
  ],
]

/** These work on a home whose daemon is stopped. */
export const OFFLINE = /^(config rotate-key|totp recover|backup verify|restore|audit verify --file)/

/** These follow something until Ctrl-C. */
export const ENDLESS =
  /--watch|--follow|SL-M.*--wait|^(event follow|event follow --event|stream|approval watch)/
