import { hashOf } from '../../pages/look/policy.js'
import { STYLE } from '../../pages/look/style.js'

/**
 * The page that a link in a mail opens. It is the same text for every request: its script reads the address, so
 * nothing of the address can become part of the page. It removes the token from the address at once.
 */
const SCRIPT = `
const given = new URLSearchParams(location.search)
history.replaceState(null, '', location.pathname)
const form = document.querySelector('form')
const note = document.querySelector('output')
const problems = {
  invalid_link: 'This link is not complete. Copy the whole link from the mail.',
  expired_link: 'This link was used, replaced by a newer one, or is older than an hour. Ask for a new one.',
}
const token = given.get('token')
if (!token) {
  form.hidden = true
  note.textContent = problems[given.get('error')] ?? 'Ask for a link first: svc password reset --link'
}
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const values = new FormData(form)
  const body = {
    step: 'password', email: given.get('email'), token,
    password: values.get('password'), confirm_password: values.get('confirm_password'),
  }
  note.textContent = 'Setting the password…'
  try {
    const answer = await fetch('/auth/reset-password', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    })
    const { message, errors } = await answer.json()
    note.textContent = errors?.password?.join('. ') ?? message
    form.hidden = answer.ok
  } catch {
    note.textContent = 'The service was not reached. Try again.'
  }
})
`

export const RESET_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reset the password · svc</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<section class="narrow">
<h1>Reset the password</h1>
<form>
<p><label>New password <input type="password" name="password" autocomplete="new-password" required></label></p>
<p><label>Again <input type="password" name="confirm_password" autocomplete="new-password" required></label></p>
<p><button class="main">Set the password</button></p>
</form>
<p><output></output></p>
<noscript>This page needs JavaScript. Without it, use: svc password reset</noscript>
<p><a href="/login">Sign in</a></p>
</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`

/** Only the page's own script runs, and it reaches only this service. */
export const RESET_PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
