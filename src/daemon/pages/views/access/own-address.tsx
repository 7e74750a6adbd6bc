/** @jsxImportSource hono/jsx */
import { z } from 'zod'
import { ActionForm, Field } from '../../components/forms.js'
import type { Fields, Outcome } from '../../forms.js'
import type { PageContent, PageRequest } from '../../page.js'

const PATH = '/security'
/** The word that a person types before a ban of their own address. */
export const BAN_WORD = 'BAN'

const ownAddress = z.looseObject({ own_address: z.literal(true), consequences: z.array(z.string()) })

/** Returns the question before a ban of the caller's own address; undefined for another refusal. */
export function ownAddressQuestion(
  refusal: Outcome,
  { ip_address = '', reason = '', duration_hours = '', permanent = '' }: Fields,
  { csrf }: PageRequest,
): PageContent | undefined {
  const { data } = ownAddress.safeParse(refusal)
  if (data === undefined) return undefined
  const title = 'Ban your own address?'
  const body = (
    <section>
      <h1>{title}</h1>
      {data.consequences.map((text) => (
        <p>{text}</p>
      ))}
      <div class="actions">
        <ActionForm
          to="/security/ban"
          csrf={csrf}
          back={PATH}
          fields={{ ip_address, reason, duration_hours, permanent }}
          label={`Ban ${ip_address}`}
          tone="danger"
        >
          <Field
            name="word"
            label={`Type ${BAN_WORD} to confirm`}
            autocomplete="off"
            maxlength={20}
            required
          />
        </ActionForm>
        <a class="button" href={PATH}>
          Do not ban
        </a>
      </div>
    </section>
  )
  return { title, body }
}
