export { cached } from './cached.js'
export { openApiDocument } from './document.js'
export { PAGE_POLICY, REFERENCE_PAGE } from './page.js'
export { referenceScript } from './reference-script.js'
