import { signedIn } from '../running.js'
import * as answers from './answers.js'

const backup = signedIn('Backup', 'api')

export const BACKUP_OPERATIONS = {
  'POST /backups': backup('Makes a backup of all databases, and answers when it is checked.', {
    scopes: ['admin'],
    answer: answers.madeBackup,
    errors: ['conflict', 'storage_full'],
  }),
  'GET /backups': backup('Lists the backups of this home, newest first, with their schedule.', {
    scopes: ['read', 'admin'],
    answer: answers.backups,
  }),
}
