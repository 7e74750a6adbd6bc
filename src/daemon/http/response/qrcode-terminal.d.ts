declare module 'qrcode-terminal/vendor/QRCode/index.js' {
  /** The code itself. The package's own types describe only its drawing on a terminal. */
  class QRCode {
    /** @param version the size of the code; -1 for the smallest that fits */
    constructor(version: number, errorCorrectLevel: number)
    addData(text: string): void
    make(): void
    getModuleCount(): number
    isDark(row: number, column: number): boolean
  }
  // biome-ignore lint/style/noDefaultExport: the package exports this
  export default QRCode
}
