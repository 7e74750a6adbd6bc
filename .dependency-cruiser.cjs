const FOUNDATION = 'documents|storage|time|events|config|errors|maths|money|csv|logging|secrets|validation'

/** The direction of dependencies, as docs/architecture.md states it. */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'core-knows-no-transport',
      comment: 'src/core takes typed input and knows neither HTTP framework nor terminal.',
      severity: 'error',
      from: { path: '^src/core' },
      to: { path: '^src/(daemon|cli|tui|views)|node_modules/(hono|@hono|commander|ink|react|chalk)/' },
    },
    {
      name: 'clients-go-over-http',
      comment:
        'CLI and TUI are clients of the daemon. They share the error table, time formats, CSV, exact sums of rupees, the vocabulary, price types and disclosed quantities of orders, the exit time of strategies, the files of an upgrade; `svc up` starts the daemon.',
      severity: 'error',
      from: { path: '^src/(cli|tui)/' },
      to: {
        path: '^src/(core|daemon)',
        pathNot:
          '^src/core/(errors|time|csv|money)/|^src/core/(backup|orders|instruments|calendar)/vocabulary\\.ts$|^src/core/orders/terms/(price-type|disclosed)\\.ts$|^src/core/config/index\\.ts$|^src/core/(flows|strategies)/files/index\\.ts$|^src/core/strategies/replay/index\\.ts$|^src/core/strategies/config/exit\\.ts$|^src/daemon/main\\.ts$|^src/daemon/flows/rehearsal/index\\.ts$|^src/daemon/process/(key-change|second-factor-recovery)\\.ts$|^src/daemon/backup/(offline|upgrade)\\.ts$|^src/daemon/audit/offline/index\\.ts$',
      },
    },
    {
      name: 'config-commands-read-the-file',
      comment: 'The configuration belongs to the home, with or without a daemon. Its schema loads on demand.',
      severity: 'error',
      from: { path: '^src/(cli|tui)/' },
      to: { path: '^src/core/config/', dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'] },
    },
    {
      name: 'only-config-commands-read-the-file',
      severity: 'error',
      from: {
        path: '^src/(cli|tui)/',
        pathNot: '^src/cli/commands/daemon/(config|temporary-daemon)\\.ts$',
      },
      to: { path: '^src/core/config/' },
    },
    {
      name: 'flow-commands-read-files',
      comment:
        'Workflow files are checked without a daemon: what reads them holds no state, and loads on demand.',
      severity: 'error',
      from: { path: '^src/(cli|tui)/', pathNot: '^src/cli/commands/flow' },
      to: { path: '^src/core/flows/' },
    },
    {
      name: 'strategy-commands-load-files-on-demand',
      comment:
        'Strategy files are checked without a daemon, by code that holds no state. The rule of the exit time is a function of its arguments.',
      severity: 'error',
      from: { path: '^src/(cli|tui)/' },
      to: {
        path: '^src/core/strategies/',
        pathNot: '^src/core/strategies/config/exit\\.ts$',
        dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'],
      },
    },
    {
      name: 'flow-commands-load-files-on-demand',
      severity: 'error',
      from: { path: '^src/(cli/commands/flow|views/)' },
      to: {
        path: '^src/core/flows/files/index\\.ts$',
        dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'],
      },
    },
    {
      name: 'client-takes-only-types',
      comment: 'The typed client describes itself with the schemas of the daemon and loads none of them.',
      severity: 'error',
      from: { path: '^src/client' },
      to: { path: '^src/(core|daemon|cli|tui|views)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'tui-knows-no-cli',
      comment: 'What both show is in src/views, and how both call the daemon in src/client.',
      severity: 'error',
      from: { path: '^src/tui/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'only-screen-starts-the-tui',
      comment: 'One file of the CLI starts the terminal program, through its index.ts.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/output/screen\\.ts$' },
      to: { path: '^src/tui/' },
    },
    {
      name: 'screen-starts-the-tui-on-demand',
      severity: 'error',
      from: { path: '^src/cli/output/screen\\.ts$' },
      to: { path: '^src/tui/', dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'] },
    },
    {
      name: 'tui-has-one-face',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/tui/' },
      to: { path: '^src/tui/', pathNot: '^src/tui/index\\.ts$' },
    },
    {
      name: 'views-know-core-and-client',
      comment:
        'A view turns an answer of the daemon into columns and words, and the words of a trader into an order. It takes times, the vocabulary and the price types of orders from the core, and the drawing of workflows.',
      severity: 'error',
      from: { path: '^src/views/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(views|client)/|^src/core/(time/index|(calendar|instruments|orders)/vocabulary|orders/terms/price-type|csv/plain-number)\\.ts$|^src/core/flows/files/index\\.ts$',
      },
    },
    {
      name: 'views-take-types-of-the-client',
      comment:
        'A view calls nobody: the order line asks through what its caller gives it. A view reads the members of unchecked answers as the clients do.',
      severity: 'error',
      from: { path: '^src/views/' },
      to: {
        path: '^src/client/',
        pathNot: '^src/client/answers/json\\.ts$',
        dependencyTypesNot: ['type-only', 'type-import'],
      },
    },
    {
      name: 'only-up-starts-the-daemon',
      severity: 'error',
      from: { path: '^src/(cli|tui)/', pathNot: '^src/cli/commands/daemon/up\\.ts$' },
      to: {
        path: '^src/daemon',
        pathNot:
          '^src/daemon/(flows/rehearsal|audit/offline)/index\\.ts$|^src/daemon/backup/(offline|upgrade)\\.ts$|^src/daemon/process/(key-change|second-factor-recovery)\\.ts$',
      },
    },
    {
      name: 'only-backup-commands-open-a-stopped-home',
      comment:
        'Restoring and checking backups, new keys, and upgrades work without a daemon; the code loads on demand.',
      severity: 'error',
      from: {
        path: '^src/(cli|tui)/',
        pathNot: '^src/cli/(commands/(daemon/(backup|config)\\.ts$|upgrade/)|io/home-lock\\.ts$)',
      },
      to: { path: '^src/daemon/backup/(offline|upgrade)\\.ts$' },
    },
    {
      name: 'backup-commands-load-on-demand',
      severity: 'error',
      from: { path: '^src/cli/(commands/(daemon/(backup|config)\\.ts$|upgrade/)|io/home-lock\\.ts$)' },
      to: {
        path: '^src/daemon/backup/',
        dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'],
      },
    },
    {
      name: 'only-config-replaces-the-keys',
      comment: 'The keys of a home are replaced while no daemon runs in it.',
      severity: 'error',
      from: { path: '^src/(cli|tui)/', pathNot: '^src/cli/commands/daemon/config\\.ts$' },
      to: { path: '^src/daemon/process/key-change\\.ts$' },
    },
    {
      name: 'only-totp-recovers-the-second-factor',
      comment: 'A lost phone is replaced while no daemon runs in the home.',
      severity: 'error',
      from: { path: '^src/(cli|tui)/', pathNot: '^src/cli/commands/account/totp\\.ts$' },
      to: { path: '^src/daemon/process/second-factor-recovery\\.ts$' },
    },
    {
      name: 'only-flow-test-rehearses',
      comment: 'Scenarios are played on a whole service, which is loaded when one is played.',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/cli/commands/flow/files/test\\.ts$|^src/daemon/flows/rehearsal/' },
      to: { path: '^src/daemon/flows/rehearsal/' },
    },
    {
      name: 'rehearsals-load-on-demand',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/daemon/flows/rehearsal/',
        dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'],
      },
    },
    {
      name: 'only-audit-verify-reads-copies',
      comment: 'A copy of the audit trail is checked without a daemon; the check loads on demand.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/commands/log/audit\\.ts$' },
      to: { path: '^src/daemon/audit/' },
    },
    {
      name: 'daemon-knows-no-client',
      severity: 'error',
      from: { path: '^src/daemon' },
      to: { path: '^src/(cli|tui|views|client)/' },
    },
    {
      name: 'foundation-knows-no-area',
      severity: 'error',
      comment: 'The tables name the types of the areas whose rows they hold.',
      from: { path: `^src/core/(${FOUNDATION})/`, pathNot: '^src/core/storage/tables/' },
      to: { path: '^src/core/', pathNot: `^src/core/(${FOUNDATION})/` },
    },
    {
      name: 'areas-meet-at-their-index',
      comment:
        'An area uses another through its index.ts; types may come from its schema.ts or the broker contract. The approvals read the definitions of order operations; the index.ts of the orders reads the approvals.',
      severity: 'error',
      from: { path: '^src/core/([^/]+)/' },
      to: {
        path: '^src/core/([^/]+)/.+',
        pathNot: [
          '^src/core/$1/',
          '^src/core/[^/]+/(index|schema)\\.ts$',
          '^src/core/brokers/broker\\.ts$',
          '^src/core/orders/operations/order-operations\\.ts$',
          '^src/core/storage/tables/',
        ],
      },
    },
    {
      name: 'daemon-uses-public-faces',
      severity: 'error',
      from: { path: '^src/daemon' },
      to: {
        path: '^src/core/([^/]+)/.+',
        pathNot: '^src/core/[^/]+/(index|schema)\\.ts$|^src/core/brokers/[^/]+/index\\.ts$',
      },
    },
    {
      name: 'sql-lives-in-stores',
      comment: 'Tables and drizzle are for store files (and what stands in for one).',
      severity: 'error',
      from: {
        path: '^src',
        pathNot:
          '(^src/core/storage/|(store|rows|statements|tables)\\.ts$|/orders/(journal/(journal|idempotency)|strategy/totals)\\.ts$)',
      },
      to: { path: '^src/core/storage/tables/|node_modules/drizzle-orm/' },
    },
    {
      name: 'one-file-knows-sqlite3',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/core/storage/sqlite\\.ts$' },
      to: { path: 'node_modules/sqlite3/' },
    },
    {
      name: 'no-tool-in-product',
      comment:
        'The build puts the libraries of the product into its files, so they are no dependencies of the package; tools are none of the product.',
      severity: 'error',
      from: { path: '^src' },
      to: {
        path: 'node_modules/(@biomejs|@scalar|@zxcvbn-ts|axe-core|dependency-cruiser|drizzle-kit|esbuild|fast-check|playwright-core|smtp-server|sql\\.js|tsx|typescript|vitest)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
