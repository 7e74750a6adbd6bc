export { TelegramBot } from './telegram.js'
