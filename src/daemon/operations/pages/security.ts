import type { RunningService } from '../../daemon.js'
import { loginActivity } from '../access/login-activity.js'
import { signedIn } from '../running.js'
import { securityData, securityDataView, securityStats, securityStatsView } from '../security/overview.js'

const security = signedIn('Security', 'sixtyAMinute', 'read')

const page = {
  answerText: 'text/html',
  answer: securityData.extend({ stats: securityStats, login_activity: loginActivity.shape.attempts }),
  run: async ({ identity, security, settings }: RunningService) => ({
    ...securityDataView(security, settings.get()),
    stats: securityStatsView(security, settings.get()),
    login_activity: await identity.attempts.list({ limit: 20 }),
  }),
} as const

/** The page of the bans. */
export const SECURITY_PAGE_OPERATIONS = {
  'GET /security': security('Returns the bans, suspects, settings and newest sign-in attempts.', page),
  'GET /logs/security': security('Returns the same as GET /security.', page),
}
