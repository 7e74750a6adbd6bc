export { type Mail, MailError, type Mailer, type MailFault } from './schema.js'
export { mailServerOf, missingSettings } from './server.js'
export { SmtpMailer } from './smtp-mailer.js'
