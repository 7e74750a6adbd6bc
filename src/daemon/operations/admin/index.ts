import { messageOnly } from '../common/answers.js'
import { signedIn } from '../running.js'
import * as answers from './answers.js'
import {
  checkTimingsPayload,
  completeYearPayload,
  freezePayload,
  freezeQuantityPayload,
  freezeUploadQuery,
  holidayPayload,
  holidaysQuery,
  timingPayload,
} from './payloads.js'

const admin = signedIn('Administration', 'api')

const reading = { scopes: ['read'] } as const
const changing = { scopes: ['admin'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const
const FREEZE_ID = { id: 'The id of a freeze quantity, from its list.' }

export const ADMIN_OPERATIONS = {
  'GET /admin/api/stats': admin('Returns the number of freeze quantities and of holidays.', {
    ...reading,
    answer: answers.stats,
  }),
  'GET /admin/api/freeze': admin('Lists the freeze quantities, the largest orders that exchanges accept.', {
    ...reading,
    answer: answers.freezeList,
  }),
  'POST /admin/api/freeze': admin('Adds a freeze quantity.', {
    ...changing,
    body: freezePayload,
    example: { exchange: 'NFO', symbol: 'NIFTY', freeze_qty: 1800 },
    answer: answers.freezeEntry,
    errors: json,
  }),
  'PUT /admin/api/freeze/:id': admin('Changes a freeze quantity.', {
    ...changing,
    params: FREEZE_ID,
    body: freezeQuantityPayload,
    example: { freeze_qty: 1200 },
    answer: answers.freezeEntry,
    errors: ['not_found', ...json],
  }),
  'DELETE /admin/api/freeze/:id': admin('Deletes a freeze quantity.', {
    ...changing,
    params: FREEZE_ID,
    answer: messageOnly,
    errors: ['not_found'],
  }),
  'POST /admin/api/freeze/upload': admin(
    'Replaces the freeze quantities of an exchange with those of a CSV file, or changes nothing.',
    {
      ...changing,
      limit: 'tenAMinute',
      query: freezeUploadQuery,
      bodyText: 'text/csv',
      bodyForm: { csv_file: 'The file; its name ends in .csv.', exchange: 'NFO by default.' },
      answer: answers.freezeUpload,
      errors: json,
    },
  ),
  'GET /admin/api/holidays': admin('Lists the holidays and special sessions of a year.', {
    ...reading,
    query: holidaysQuery,
    example: { year: 2026 },
    answer: answers.holidays,
    errors: ['validation'],
  }),
  'POST /admin/api/holidays': admin('Adds a holiday or a special session.', {
    ...changing,
    body: holidayPayload,
    example: {
      holiday_date: '2027-03-22',
      description: 'Holi',
      holiday_type: 'TRADING_HOLIDAY',
      exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD'],
      open_exchanges: [{ exchange: 'MCX', start_time: '17:00', end_time: '23:55' }],
    },
    answer: answers.holiday,
    errors: ['conflict', ...json],
  }),
  'DELETE /admin/api/holidays/:id': admin('Deletes a holiday or a special session.', {
    ...changing,
    params: { id: 'The id of an entry, from the list of its year.' },
    answer: messageOnly,
    errors: ['not_found'],
  }),
  'PUT /admin/api/holidays/years/:year': admin('Says whether the calendar has all holidays of a year.', {
    ...changing,
    params: { year: 'From 2020 to 2050.' },
    body: completeYearPayload,
    example: { complete: true },
    answer: answers.year,
    errors: json,
  }),
  'GET /admin/api/timings': admin('Lists the usual trading hours, and those of today.', {
    ...reading,
    answer: answers.timings,
  }),
  'PUT /admin/api/timings/:exchange': admin('Changes the usual trading hours of an exchange.', {
    ...changing,
    params: { exchange: 'The code of the exchange.' },
    body: timingPayload,
    example: { start_time: '09:15', end_time: '15:30' },
    answer: messageOnly,
    errors: json,
  }),
  'POST /admin/api/timings/check': admin('Lists the trading hours of a date.', {
    ...changing,
    body: checkTimingsPayload,
    example: { date: '2026-11-08' },
    answer: answers.timingsOfDate,
    errors: json,
  }),
}
