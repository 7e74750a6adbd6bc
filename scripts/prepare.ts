// npm runs this after `npm ci` and before `npm pack`: it builds only what has changed. `npx svc` in a checkout installs that
// checkout into a cache of npm's, which comes by here, too. What `npm ci` has built is there already, and a daemon may be
// running from it.
import { execFileSync } from 'node:child_process'
import { isFresh } from './fresh.js'

if (process.env.npm_command !== 'exec' && !isFresh()) {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
