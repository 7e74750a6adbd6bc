import type { Exchange } from '../../../../instruments/schema.js'

/** An index: service code, displayed name, level, annual volatility in percent. */
export type IndexRow = readonly [symbol: string, name: string, level: number, volatility: number]

/** An index with futures and options, and their expiry rules. */
export interface IndexDerivative {
  symbol: string
  spotExchange: Exchange
  exchange: 'NFO' | 'BFO'
  lotSize: number
  freezeQuantity: number
  strikeStep: number
  futureTick: number
  /** ISO weekday on which contracts expire. */
  weekday: number
  /** Number of weekly expiries; 0 for monthly only. */
  weeklies: number
  /** Number of quarterly expiries beyond the three months. */
  quarterlies: number
}

const TUESDAY = 2
const THURSDAY = 4

const nfo = { spotExchange: 'NSE_INDEX', exchange: 'NFO', weekday: TUESDAY } as const
const bfo = { spotExchange: 'BSE_INDEX', exchange: 'BFO', weekday: THURSDAY } as const

// biome-ignore format: one row per index
export const INDEX_DERIVATIVES: readonly IndexDerivative[] = [
  { symbol: 'NIFTY', ...nfo, lotSize: 65, freezeQuantity: 1800, strikeStep: 50, futureTick: 0.1, weeklies: 5, quarterlies: 4 },
  { symbol: 'BANKNIFTY', ...nfo, lotSize: 30, freezeQuantity: 600, strikeStep: 100, futureTick: 0.2, weeklies: 0, quarterlies: 3 },
  { symbol: 'FINNIFTY', ...nfo, lotSize: 60, freezeQuantity: 1200, strikeStep: 50, futureTick: 0.1, weeklies: 0, quarterlies: 0 },
  { symbol: 'MIDCPNIFTY', ...nfo, lotSize: 120, freezeQuantity: 2800, strikeStep: 25, futureTick: 0.05, weeklies: 0, quarterlies: 0 },
  { symbol: 'NIFTYNXT50', ...nfo, lotSize: 25, freezeQuantity: 600, strikeStep: 100, futureTick: 0.2, weeklies: 0, quarterlies: 0 },
  { symbol: 'SENSEX', ...bfo, lotSize: 20, freezeQuantity: 1000, strikeStep: 100, futureTick: 0.05, weeklies: 5, quarterlies: 3 },
  { symbol: 'BANKEX', ...bfo, lotSize: 30, freezeQuantity: 900, strikeStep: 100, futureTick: 0.05, weeklies: 0, quarterlies: 0 },
  { symbol: 'SENSEX50', ...bfo, lotSize: 25, freezeQuantity: 1800, strikeStep: 100, futureTick: 0.05, weeklies: 0, quarterlies: 0 },
]

export const NSE_INDICES: readonly IndexRow[] = [
  ['NIFTY', 'NIFTY 50', 26050, 12],
  ['NIFTYNXT50', 'NIFTY NEXT 50', 69800, 16],
  ['FINNIFTY', 'NIFTY FIN SERVICE', 27600, 13],
  ['BANKNIFTY', 'NIFTY BANK', 58900, 13],
  ['MIDCPNIFTY', 'NIFTY MID SELECT', 13900, 16],
  ['INDIAVIX', 'INDIA VIX', 12.6, 75],
  ['HANGSENGBEESNAV', 'HANGSENG BEES NAV', 455, 22],
  ['NIFTY100', 'NIFTY 100', 26600, 12],
  ['NIFTY200', 'NIFTY 200', 14520, 12],
  ['NIFTY500', 'NIFTY 500', 23800, 13],
  ['NIFTYALPHA50', 'NIFTY ALPHA 50', 52600, 20],
  ['NIFTYAUTO', 'NIFTY AUTO', 27500, 17],
  ['NIFTYCOMMODITIES', 'NIFTY COMMODITIES', 9350, 16],
  ['NIFTYCONSUMPTION', 'NIFTY CONSUMPTION', 12300, 13],
  ['NIFTYCPSE', 'NIFTY CPSE', 6520, 19],
  ['NIFTYDIVOPPS50', 'NIFTY DIV OPPS 50', 6350, 13],
  ['NIFTYENERGY', 'NIFTY ENERGY', 35700, 17],
  ['NIFTYFMCG', 'NIFTY FMCG', 55600, 13],
  ['NIFTYGROWSECT15', 'NIFTY GROWSECT 15', 12700, 15],
  ['NIFTYGS10YR', 'NIFTY GS 10YR', 2660, 4],
  ['NIFTYGS10YRCLN', 'NIFTY GS 10YR CLN', 1010, 4],
  ['NIFTYGS1115YR', 'NIFTY GS 11 15YR', 2890, 5],
  ['NIFTYGS15YRPLUS', 'NIFTY GS 15YRPLUS', 3210, 6],
  ['NIFTYGS48YR', 'NIFTY GS 4 8YR', 3120, 3],
  ['NIFTYGS813YR', 'NIFTY GS 8 13YR', 2930, 4],
  ['NIFTYGSCOMPSITE', 'NIFTY GS COMPSITE', 2980, 4],
  ['NIFTYINFRA', 'NIFTY INFRA', 9520, 14],
  ['NIFTYIT', 'NIFTY IT', 36900, 20],
  ['NIFTYMEDIA', 'NIFTY MEDIA', 1465, 21],
  ['NIFTYMETAL', 'NIFTY METAL', 10350, 22],
  ['NIFTYMIDLIQ15', 'NIFTY MID LIQ 15', 15900, 17],
  ['NIFTYMIDCAP100', 'NIFTY MIDCAP 100', 60500, 16],
  ['NIFTYMIDCAP150', 'NIFTY MIDCAP 150', 22200, 16],
  ['NIFTYMIDCAP50', 'NIFTY MIDCAP 50', 17200, 17],
  ['NIFTYMIDSML400', 'NIFTY MIDSML 400', 20500, 16],
  ['NIFTYMNC', 'NIFTY MNC', 30500, 13],
  ['NIFTYPHARMA', 'NIFTY PHARMA', 22700, 17],
  ['NIFTYPSE', 'NIFTY PSE', 9950, 19],
  ['NIFTYPSUBANK', 'NIFTY PSU BANK', 8450, 21],
  ['NIFTYPVTBANK', 'NIFTY PVT BANK', 28500, 14],
  ['NIFTYREALTY', 'NIFTY REALTY', 925, 24],
  ['NIFTYSERVSECTOR', 'NIFTY SERV SECTOR', 34300, 13],
  ['NIFTYSMLCAP100', 'NIFTY SMLCAP 100', 18000, 18],
  ['NIFTYSMLCAP250', 'NIFTY SMLCAP 250', 17000, 17],
  ['NIFTYSMLCAP50', 'NIFTY SMLCAP 50', 8750, 19],
  ['NIFTY100EQLWGT', 'NIFTY100 EQL WGT', 34100, 13],
  ['NIFTY100LIQ15', 'NIFTY100 LIQ 15', 6750, 15],
  ['NIFTY100LOWVOL30', 'NIFTY100 LOWVOL30', 20300, 11],
  ['NIFTY100QUALTY30', 'NIFTY100 QUALTY30', 5650, 13],
  ['NIFTY200QUALTY30', 'NIFTY200 QUALTY30', 21200, 13],
  ['NIFTY50DIVPOINT', 'NIFTY50 DIV POINT', 225, 5],
  ['NIFTY50EQLWGT', 'NIFTY50 EQL WGT', 33200, 12],
  ['NIFTY50PR1XINV', 'NIFTY50 PR 1X INV', 178, 12],
  ['NIFTY50PR2XLEV', 'NIFTY50 PR 2X LEV', 14400, 24],
  ['NIFTY50TR1XINV', 'NIFTY50 TR 1X INV', 149, 12],
  ['NIFTY50TR2XLEV', 'NIFTY50 TR 2X LEV', 19000, 24],
  ['NIFTY50VALUE20', 'NIFTY50 VALUE 20', 14300, 13],
]

export const BSE_INDICES: readonly IndexRow[] = [
  ['SENSEX', 'SENSEX', 85200, 12],
  ['BANKEX', 'BANKEX', 66000, 13],
  ['SENSEX50', 'SENSEX 50', 27200, 12],
  ['BSE100', 'BSE 100', 27400, 12],
  ['BSE150MIDCAPINDEX', 'BSE 150 MidCap Index', 16300, 16],
  ['BSE200', 'BSE 200', 11900, 12],
  ['BSE250LARGEMIDCAPINDEX', 'BSE 250 LargeMidCap Index', 11150, 13],
  ['BSE400MIDSMALLCAPINDEX', 'BSE 400 MidSmallCap Index', 12350, 16],
  ['BSE500', 'BSE 500', 37300, 13],
  ['BSEAUTO', 'BSE Auto', 61500, 17],
  ['BSECAPITALGOODS', 'BSE Capital Goods', 69200, 19],
  ['BSECARBONEX', 'BSE Carbonex', 4250, 13],
  ['BSECONSUMERDURABLES', 'BSE Consumer Durables', 61700, 17],
  ['BSECPSE', 'BSE CPSE', 3950, 19],
  ['BSEDOLLEX100', 'BSE Dollex 100', 3150, 14],
  ['BSEDOLLEX200', 'BSE Dollex 200', 1290, 14],
  ['BSEDOLLEX30', 'BSE Dollex 30', 7850, 14],
  ['BSEENERGY', 'BSE Energy', 12100, 18],
  ['BSEFASTMOVINGCONSUMERGOODS', 'BSE Fast Moving Consumer Goods', 20500, 13],
  ['BSEFINANCIALSERVICES', 'BSE Financial Services', 13500, 13],
  ['BSEGREENEX', 'BSE Greenex', 4800, 13],
  ['BSEHEALTHCARE', 'BSE Healthcare', 44700, 16],
  ['BSEINDIAINFRASTRUCTUREINDEX', 'BSE India Infrastructure Index', 630, 18],
  ['BSEINDUSTRIALS', 'BSE Industrials', 15100, 19],
  ['BSEINFORMATIONTECHNOLOGY', 'BSE Information Technology', 35600, 20],
  ['BSEIPO', 'BSE IPO', 17100, 18],
  ['BSELARGECAP', 'BSE LargeCap', 9900, 12],
  ['BSEMETAL', 'BSE Metal', 34600, 21],
  ['BSEMIDCAP', 'BSE MidCap', 47100, 16],
  ['BSEMIDCAPSELECTINDEX', 'BSE MidCap Select Index', 17500, 17],
  ['BSEOIL&GAS', 'BSE Oil & Gas', 28700, 18],
  ['BSEPOWER', 'BSE Power', 6750, 19],
  ['BSEPSU', 'BSE PSU', 20600, 19],
  ['BSEREALTY', 'BSE Realty', 7150, 24],
  ['BSESENSEXNEXT50', 'BSE Sensex Next 50', 91500, 16],
  ['BSESMALLCAP', 'BSE SmallCap', 52300, 17],
  ['BSESMALLCAPSELECTINDEX', 'BSE SmallCap Select Index', 8150, 18],
  ['BSESMEIPO', 'BSE SME IPO', 116000, 22],
  ['BSETECK', 'BSE Teck', 18300, 18],
  ['BSETELECOM', 'BSE Telecommunication', 3150, 18],
]

export const MCX_INDICES: readonly IndexRow[] = [
  ['MCXAGRI', 'MCX iCOMDEX Agri', 9850, 12],
  ['MCXBULLDEX', 'MCX iCOMDEX Bullion', 29500, 17],
  ['MCXCOMDEX', 'MCX Comdex', 6350, 15],
  ['MCXCOMPDEX', 'MCX iCOMDEX Composite', 23800, 16],
  ['MCXCOPRDEX', 'MCX iCOMDEX Copper', 20800, 18],
  ['MCXCRUDEX', 'MCX iCOMDEX Crude Oil', 13600, 32],
  ['MCXENERGY', 'MCX iCOMDEX Energy', 4250, 34],
  ['MCXGOLDEX', 'MCX iCOMDEX Gold', 25800, 15],
  ['MCXMETAL', 'MCX Metal', 7650, 16],
  ['MCXMETLDEX', 'MCX iCOMDEX Base Metal', 18900, 15],
  ['MCXSILVDEX', 'MCX iCOMDEX Silver', 23900, 27],
]

export const GLOBAL_INDICES: readonly IndexRow[] = [
  ['AUS200', 'Australia 200', 8450, 13],
  ['FRANCE40', 'France 40', 7980, 15],
  ['GERMANY40', 'Germany 40', 23100, 16],
  ['GIFTNIFTY', 'GIFT Nifty', 26090, 12],
  ['HANGSENG', 'Hang Seng', 25300, 22],
  ['JAPAN225', 'Japan 225', 48700, 21],
  ['SHANGHAICHINA', 'Shanghai China', 3840, 14],
  ['UK100', 'UK 100', 9540, 12],
  ['US100', 'US 100', 24300, 20],
  ['US10YRYIELD', 'US 10 Year Yield', 4.07, 25],
  ['US30', 'US 30', 46300, 14],
  ['US500', 'US 500', 6610, 15],
  ['USCOMPOSITE', 'US Composite', 22300, 19],
]
