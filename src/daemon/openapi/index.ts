export { openApiDocument } from './document.js'
export { referencePage } from './page.js'
