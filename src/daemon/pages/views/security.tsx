/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../operations/types.js'
import { cell, indianTime, number } from '../components/format.js'
import { ActionForm, Choice, CsrfField, Field } from '../components/forms.js'
import { type Column, Table, Tiles } from '../components/table.js'
import type { PageContent, PageRequest } from '../page.js'

type Answer = AnswerOf<'GET /security'>
type Suspect = Answer['suspicious_ips'][number]

/** Banned addresses, suspects, the settings of bans, and who tried to sign in. */
export function securityView(answer: Answer, request: PageRequest): PageContent {
  const { banned_ips, suspicious_ips, api_abuse_ips, login_activity, stats } = answer
  const body = (
    <>
      <h1>Security</h1>
      <Tiles
        facts={[
          ['Bans', number(stats.total_bans)],
          ['Permanent', number(stats.permanent_bans)],
          ['Suspects', number(stats.suspicious_ips)],
          ['Near the threshold', number(stats.near_threshold)],
        ]}
      />
      <section>
        <h2>Ban an address</h2>
        <form method="post" action="/security/ban" class="fields">
          <CsrfField token={request.csrf} />
          <Field name="ip_address" label="Address" required maxlength={50} />
          <Field name="reason" label="Reason" maxlength={150} />
          <Field name="duration_hours" label="Hours" type="number" value="24" min={1} max={8760} />
          <Choice name="permanent" label="For" options={TERMS} />
          <button type="submit" class="main">
            Ban
          </button>
        </form>
      </section>
      <section>
        <Table
          caption="Banned addresses"
          columns={banColumns(request)}
          rows={banned_ips}
          empty="No address is banned."
        />
      </section>
      <section>
        <Table
          caption="Requests for missing paths"
          columns={suspectColumns(request)}
          rows={suspicious_ips}
          empty="No address asked for missing paths."
        />
      </section>
      <section>
        <Table
          caption="Invalid API keys"
          columns={ABUSERS}
          rows={api_abuse_ips}
          empty="No address sent an invalid key."
        />
      </section>
      <section>
        <Table
          caption="Newest sign-in attempts"
          columns={ATTEMPTS}
          rows={login_activity}
          empty="Nobody tried to sign in."
        />
      </section>
      <Settings answer={answer} request={request} />
    </>
  )
  return { title: 'Security', body }
}

const TERMS = [
  ['', 'the hours'],
  ['true', 'ever'],
] as const

const banColumns = ({ csrf, path }: PageRequest): readonly Column<Answer['banned_ips'][number]>[] => [
  { title: 'Address', cell: (ban) => <b>{cell(ban.ip_address)}</b> },
  { title: 'Reason', cell: (ban) => cell(ban.ban_reason) },
  { title: 'Since', cell: (ban) => indianTime(ban.banned_at_iso) },
  {
    title: 'Until',
    cell: (ban) => (ban.expires_at_iso === null ? ban.expires_at : indianTime(ban.expires_at_iso)),
  },
  { title: 'Times', cell: (ban) => number(ban.ban_count), look: 'num' },
  {
    title: 'Action',
    cell: ({ ip_address }) => (
      <div class="actions">
        <ActionForm
          to="/security/unban"
          csrf={csrf}
          back={path}
          fields={{ ip_address }}
          label="Unban"
          spoken={`Unban ${ip_address}`}
        />
      </div>
    ),
    look: 'wide',
  },
]

const suspectColumns = ({ csrf, path }: PageRequest): readonly Column<Suspect>[] => [
  { title: 'Address', cell: (suspect) => <b>{cell(suspect.ip_address)}</b> },
  { title: 'Requests', cell: (suspect) => number(suspect.error_count), look: 'num' },
  { title: 'Last', cell: (suspect) => indianTime(suspect.last_error_at_iso) },
  { title: 'Paths', cell: (suspect) => cell(suspect.paths_attempted) },
  {
    title: 'Action',
    cell: ({ ip_address }) => (
      <div class="actions">
        <ActionForm
          to="/security/ban"
          csrf={csrf}
          back={path}
          fields={{ ip_address }}
          label="Ban a day"
          spoken={`Ban ${ip_address} for a day`}
          tone="danger"
        />
        <ActionForm
          to="/security/clear-404"
          csrf={csrf}
          back={path}
          fields={{ ip_address }}
          label="Clear"
          spoken={`Clear ${ip_address}`}
        />
      </div>
    ),
    look: 'wide',
  },
]

const ABUSERS: readonly Column<Answer['api_abuse_ips'][number]>[] = [
  { title: 'Address', cell: (abuser) => <b>{cell(abuser.ip_address)}</b> },
  { title: 'Keys', cell: (abuser) => number(abuser.attempt_count), look: 'num' },
  { title: 'Last', cell: (abuser) => indianTime(abuser.last_attempt_at_iso) },
]

const ATTEMPTS: readonly Column<Answer['login_activity'][number]>[] = [
  { title: 'Time', cell: ({ timestamp }) => timestamp.slice(0, 19).replace('T', ' '), look: 'tight' },
  { title: 'User', cell: ({ username }) => cell(username) },
  { title: 'Address', cell: (attempt) => cell(attempt.ip_address) },
  {
    title: 'Result',
    cell: ({ status, login_type, failure_reason }) => (
      <>
        <span class={`badge ${status === 'success' ? 'good' : 'bad'}`}>{status}</span> {cell(login_type)}
        {failure_reason !== null && <span class="sub">{cell(failure_reason)}</span>}
      </>
    ),
  },
  { title: 'Device', cell: (attempt) => cell(attempt.device_info) },
]

function Settings({
  answer: { security_settings: settings },
  request,
}: {
  answer: Answer
  request: PageRequest
}) {
  const hours = { type: 'number', min: 0, max: 8760 } as const
  return (
    <section>
      <h2>Automatic bans</h2>
      <form method="post" action="/security/settings" class="fields">
        <CsrfField token={request.csrf} />
        <Choice
          name="auto_ban_enabled"
          label="Ban by itself"
          value={String(settings.auto_ban_enabled)}
          options={YES_NO}
        />
        <Field
          name="threshold_404"
          label="After missing paths"
          type="number"
          min={1}
          max={1000}
          value={String(settings['404_threshold'])}
        />
        <Field
          name="ban_duration_404"
          label="for hours (0: ever)"
          {...hours}
          value={String(settings['404_ban_duration'])}
        />
        <Field
          name="threshold_api"
          label="After invalid keys"
          type="number"
          min={1}
          max={100}
          value={String(settings.api_threshold)}
        />
        <Field
          name="ban_duration_api"
          label="for hours (0: ever)"
          {...hours}
          value={String(settings.api_ban_duration)}
        />
        <Field
          name="repeat_offender_limit"
          label="For ever at ban number"
          type="number"
          min={1}
          max={10}
          value={String(settings.repeat_offender_limit)}
        />
        <button type="submit" class="main">
          Save
        </button>
      </form>
    </section>
  )
}

const YES_NO = [
  ['true', 'yes'],
  ['false', 'no'],
] as const
