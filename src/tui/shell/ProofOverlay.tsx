import { Box, Text } from 'ink'
import { useState } from 'react'
import { visible } from '../../views/table/cells.js'
import { FORM_KEYS, Form, type FormField, type FormValues } from '../components/form/Form.js'
import { KeyLine } from '../keys/KeyLine.js'
import type { ProofRequest } from '../live/changes/proof.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'

const PASSWORD: FormField = {
  name: 'password',
  label: 'Password',
  isSecret: true,
  problem: (value) => (value === '' ? 'required' : undefined),
}
const CODE: FormField = {
  name: 'code',
  label: 'Authenticator code',
  problem: (value) => (/^\d{6}$/.test(value) ? undefined : 'six digits'),
}

/** Asks for the password again, because the last sign-in is too long ago for a change. */
export function ProofOverlay({ request, width, height }: Area & { request: ProofRequest }) {
  const [refusal, setRefusal] = useState('')
  const prove = async ({ password = '', code }: FormValues) => {
    setRefusal('Checking …')
    setRefusal((await request.prove(password, code)) ?? '')
  }
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(visible(`${request.name}: the daemon wants your password again.`), width)}</Text>
      <Form
        title="The last sign-in is too long ago for this change."
        fields={request.needsCode ? [PASSWORD, CODE] : [PASSWORD]}
        first={{ password: '', code: '' }}
        level="overlay"
        {...{ width, refusal, height: height - 2 }}
        onSubmit={(values) => void prove(values)}
        onCancel={request.cancel}
      />
      <KeyLine keys={FORM_KEYS} width={width} />
    </Box>
  )
}
