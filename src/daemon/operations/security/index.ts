import { signedIn } from '../running.js'
import * as answers from './answers.js'
import { addressPayload, banHostPayload, banPayload, securitySettingsPayload } from './payloads.js'

const bans = signedIn('Security', 'thirtyAMinute')

const reading = { scopes: ['read'], limit: 'sixtyAMinute' } as const
const changing = { scopes: ['admin'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const

export const SECURITY_OPERATIONS = {
  'GET /security/api/data': bans('Returns the bans, the addresses under suspicion and the settings.', {
    ...reading,
    answer: answers.data,
  }),
  'GET /security/stats': bans('Returns the number of bans and of addresses under suspicion.', {
    ...reading,
    answer: answers.stats,
  }),
  'POST /security/ban': bans('Bans an address at once; an IPv6 address stands for its /64 network.', {
    ...changing,
    body: banPayload,
    example: { ip_address: '203.0.113.7', reason: 'scans paths', duration_hours: 24 },
    answer: answers.banned,
    errors: ['refused', ...json],
  }),
  'POST /security/unban': bans('Ends a ban.', {
    ...changing,
    body: addressPayload,
    example: { ip_address: '203.0.113.7' },
    answer: answers.done,
    errors: ['not_found', ...json],
  }),
  'POST /security/ban-host': bans('Bans the addresses that recently called the service by a host name.', {
    ...changing,
    body: banHostPayload,
    example: { host: 'scanner.example', reason: 'not a name of this service' },
    answer: answers.done,
    errors: ['refused', 'not_found', ...json],
  }),
  'POST /security/clear-404': bans('Forgets the requests of an address for missing paths.', {
    ...changing,
    limit: 'tenAMinute',
    body: addressPayload,
    example: { ip_address: '203.0.113.7' },
    answer: answers.done,
    errors: ['not_found', ...json],
  }),
  'POST /security/settings': bans('Changes the settings of automatic bans; the others keep their value.', {
    ...changing,
    limit: 'tenAMinute',
    body: securitySettingsPayload,
    example: { auto_ban_enabled: true, threshold_404: 50, ban_duration_404: 24 },
    answer: answers.changedSettings,
    errors: json,
  }),
}
