// `npx svc` in a checkout installs that checkout into a cache of npm's, which comes by here. What `npm ci` has built is
// there already, and a daemon may be running from it.
import { execFileSync } from 'node:child_process'

if (process.env.npm_command !== 'exec') execFileSync('npm', ['run', 'build'], { stdio: 'inherit' })
