export { type SettingsPatch, type SettingsValues, settingsPatch } from './schema.js'
export { Settings, type SettingsListener, type SettingsOptions } from './settings.js'
