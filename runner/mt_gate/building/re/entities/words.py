"""Words that tell what kind of thing a name is: word lists, written down for precision."""

from __future__ import annotations

NATIONALITIES = frozenset(
    "Afghan Albanian Algerian American Andorran Angolan Argentine Argentinian Armenian Australian "
    "Austrian Azerbaijani Bahamian Bahraini Bangladeshi Barbadian Belarusian Belgian Belizean "
    "Beninese Bhutanese Bolivian Bosnian Brazilian British Bruneian Bulgarian Burkinabe Burmese "
    "Burundian Cambodian Cameroonian Canadian Chadian Chilean Chinese Colombian Congolese Croatian "
    "Cuban Cypriot Czech Danish Djiboutian Dominican Dutch Ecuadorian Egyptian Emirati English "
    "Eritrean Estonian Ethiopian Fijian Filipino Finnish French Gabonese Gambian Georgian German "
    "Ghanaian Greek Grenadian Guatemalan Guinean Guyanese Haitian Honduran Hungarian Icelandic "
    "Indian Indonesian Iranian Iraqi Irish Israeli Italian Ivorian Jamaican Japanese Jordanian "
    "Kazakh Kazakhstani Kenyan Kuwaiti Kyrgyz Laotian Latvian Lebanese Liberian Libyan Lithuanian "
    "Luxembourgish Macedonian Malagasy Malawian Malaysian Maldivian Malian Maltese Mauritanian "
    "Mauritian Mexican Moldovan Mongolian Montenegrin Moroccan Mozambican Namibian Nepalese Nepali "
    "Nicaraguan Nigerian Nigerien Norwegian Omani Pakistani Palestinian Panamanian Paraguayan "
    "Peruvian Polish Portuguese Qatari Romanian Russian Rwandan Salvadoran Samoan Saudi Scottish "
    "Senegalese Serbian Singaporean Slovak Slovakian Slovene Slovenian Somali Soviet Spanish "
    "Sudanese Surinamese Swazi Swedish Swiss Syrian Taiwanese Tajik Tanzanian Thai Togolese Tongan "
    "Trinidadian Tunisian Turkish Turkmen Ugandan Ukrainian Uruguayan Uzbek Venezuelan Vietnamese "
    "Welsh Yemeni Yugoslav Yugoslavian Zambian Zimbabwean".split()
) | {"New Zealander", "South African", "North Korean", "South Korean", "Sri Lankan", "Costa Rican"}

RELIGIONS = frozenset(
    "Christian Catholic Protestant Jewish Muslim Islamic Buddhist Hindu Sikh Jain Lutheran "
    "Methodist "
    "Baptist Presbyterian Anglican Episcopalian Mormon Quaker Calvinist Evangelical Sunni Shia "
    "Shiite Zoroastrian Taoist".split()
) | {"Roman Catholic", "Eastern Orthodox", "Greek Orthodox", "Russian Orthodox"}

IDEOLOGIES = frozenset(
    "Republican Democrat Democratic Communist communist Socialist socialist Marxist Fascist "
    "fascist Nazi Liberal Conservative Libertarian Leninist Stalinist Trotskyist Maoist Zionist "
    "Federalist Whig Tory anarchist Labour".split()
)

LANGUAGES = frozenset(
    "English French German Spanish Italian Portuguese Dutch Russian Polish Czech Hungarian Greek "
    "Latin Arabic Hebrew Turkish Persian Hindi Urdu Bengali Tamil Telugu Kannada Malayalam Marathi "
    "Punjabi Gujarati Chinese Mandarin Cantonese Japanese Korean Vietnamese Thai Indonesian Malay "
    "Tagalog Swahili Swedish Norwegian Danish Finnish Icelandic Estonian Latvian Lithuanian "
    "Ukrainian Serbian Croatian Romanian Bulgarian Welsh Gaelic Catalan Basque Yiddish "
    "Sanskrit".split()
)
LANGUAGE_NOUNS = frozenset({"language", "languages", "translation", "subtitles", "alphabet"})

ORGANISATION_WORDS = frozenset(
    "University College School Academy Institute Institution Foundation Association Society "
    "Organization Organisation Council Committee Commission Party Company Corporation Corp Inc Ltd "
    "Limited LLC PLC plc Group Holdings Bank Ministry Department Agency Bureau Authority Senate "
    "Congress Parliament Court Police Army Navy Force Forces Corps Guard Regiment Battalion "
    "Division Brigade League Federation Union Club United Orchestra Philharmonic Symphony "
    "Records Press Publishing Publications Airlines Airways Motors Industries Technologies Systems "
    "Entertainment Pictures Studios Productions Network Broadcasting Television Newspapers News "
    "Times Post Journal Tribune Herald Gazette Hospital Clinic Church Diocese Archdiocese Ballet "
    "Opera Ensemble Quartet Railway Railways Railroad Airline Bancorp Insurance Pharmaceuticals "
    "Laboratories Partners Associates Consortium Alliance Confederation Secretariat Directorate "
    "Tribunal Faculty Seminary Conservatory Brothers Co GmbH AG".split()
)
"""What a name of an organisation ends in, or has before its ``of`` or ``for``."""

ORGANISATIONS = frozenset(
    "Microsoft Google Apple Amazon Facebook Twitter Yahoo IBM Intel Oracle Cisco Sony Samsung "
    "Toyota Honda Nissan Ford Volkswagen BMW Boeing Airbus Siemens Philips Nokia Ericsson Pfizer "
    "Merck Novartis Bayer Nestlé Unilever Walmart Disney Viacom Reuters Bloomberg Interpol Hamas "
    "Hezbollah Fatah Greenpeace UNESCO UNICEF NATO NASA FIFA UEFA OPEC FBI CIA BBC CNN NBC CBS ABC "
    "HBO MTV ESPN PBS NPR NBA NFL NHL MLB NCAA NAACP ACLU EU UN WHO IMF WTO MIT UCLA Mossad "
    "Gazprom Lufthansa Qantas Nintendo Sega Atari Adidas Nike Vodafone Verizon Comcast".split()
)

FACILITY_WORDS = frozenset(
    "Bridge Airport Station Stadium Arena Park Museum Gallery Hall Tower Cathedral Castle Palace "
    "Road Street Avenue Highway Boulevard Theatre Theater Library Cemetery Dam Canal Tunnel Hotel "
    "Square Chapel Abbey Monastery Temple Mosque Shrine Lighthouse Prison Building Center Centre "
    "Garden Gardens Zoo House Mall Plaza Lock".split()
)
FACILITY_OPENERS = frozenset({"Fort"})

LOCATION_WORDS = frozenset(
    "River Sea Ocean Lake Lakes Mountain Mountains Island Islands Peninsula Valley Bay Coast "
    "Desert Gulf Strait Hills Creek Plateau Basin Glacier Archipelago Reef County Beach Forest "
    "Falls".split()
)
LOCATION_OPENERS = frozenset({"Lake", "Mount", "River", "Cape", "Gulf"})
LOCATIONS = frozenset(
    "Europe Asia Africa Antarctica Oceania Scandinavia Siberia Balkans Caribbean Mediterranean "
    "Danube Rhine Nile Volga Thames Amazon Alps Himalayas Andes Pyrenees Caucasus Sahara".split()
) | {"North America", "South America", "Latin America", "Middle East", "Central America"}

EVENT_WORDS = frozenset(
    "War Olympics Paralympics Games Cup Championship Championships Revolution Festival Uprising "
    "Rebellion Conference Summit Treaty Tournament".split()
)

PARTICLES = frozenset(
    "de da di du del della dos van von der den bin ibn al el la le zu ter ten y".split()
)
"""Lower-case words inside a person's name."""
JOINERS = frozenset("of for and the in on de la du des del & y e für".split())
"""Lower-case words inside any other name."""
HONORIFICS = frozenset(
    "Mr Mr. Mrs Mrs. Ms Ms. Dr Dr. Prof Prof. Sir Dame Lady Lord Rev Rev. Gen Gen. Col Col. Capt "
    "Capt. Lt Lt. Sgt Sgt. Maj Maj. Sen Sen. Rep Rep. Gov Gov. Hon Hon. St St. Saint Father "
    "Sister Brother".split()
)
GENERATIONS = frozenset({"Jr.", "Jr", "Sr.", "Sr", "II", "III", "IV", "V", "VI", "VII", "VIII"})

NO_ORGANISATIONS = frozenset(
    "CEO CFO CTO COO PHD MBA DVD VHS TV USA UK US DNA RNA HIV AIDS NGC IQ PC EP LP CD MVP GDP GPS "
    "USB CPU RAM HTML XML URL PDF IPO ATM SUV UFO RPG FPS LGBT BCE ISBN USSR UAE USD EUR GBP "
    "HMS USS".split()
)
"""Capital letters that stand for no organisation."""
