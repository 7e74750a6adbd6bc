/* Generated from the table of operations by `npm run docs`. */

/** The endpoints that change something. */
export const CHANGES: ReadonlySet<string> = new Set([
  'analyzer/toggle',
  'basketorder',
  'cancelallorder',
  'cancelgttorder',
  'cancelorder',
  'chart',
  'closeposition',
  'modifygttorder',
  'modifyorder',
  'optionsmultiorder',
  'optionsorder',
  'placegttorder',
  'placeorder',
  'placesmartorder',
  'splitorder',
  'telegram/broadcast',
  'telegram/config',
  'telegram/notify',
  'telegram/preferences',
  'telegram/start',
  'telegram/stop',
  'whatsapp/notify',
])
