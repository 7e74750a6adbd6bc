export { type OpenApiDocument, openApiDocument } from './document.js'
export { OPERATIONS } from './operations/index.js'
export { referencePage } from './page.js'
