export { type Chats, TelegramBot, type TelegramOptions } from './telegram.js'
