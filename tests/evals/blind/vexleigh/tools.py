"""Desk, workshop and hire office of Vexleigh Typewriter House. The data never changes."""

import re
import zlib
from datetime import date

from glassloop import ToolError, tool

TODAY = date(2029, 10, 17)
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

# name: bench, extension, trade, rate per hour, days off besides Sunday and Monday, apprentice, at the house since
MECHANICS = {
    "Ottoline Braithwaite": (13, 214, "portable typewriters", 46.0, ["Saturday"], "Jonah Pell", 2014),
    "Piet Vandersloot": (11, 207, "pinwheel and stepped-drum calculators", 52.0, [], None, 2009),
    "Marguerite Achterberg": (15, 219, "electric typewriters, motors", 49.0, ["Tuesday"], None, 2021),
    "Kwabena Osei-Lund": (12, 231, "desk (standard) typewriters", 44.0, ["Wednesday"], None, 2018),
    "Rosalind Tchen": (14, 226, "index and Chinese typewriters, keyboard adders", 51.0, ["Saturday"], "Emrys Vaughan-Hale", 2016),
    "Jonah Pell": (16, 240, "apprentice, portables", 28.0, [], None, 2028),
    "Emrys Vaughan-Hale": (17, 243, "apprentice, adders", 28.0, ["Thursday"], None, 2027),
}

# stock_no: make and model, kind, year, serial, layout, colour, shelf, asking price, day rate, last serviced by, on
MACHINES = {
    "VX-0401": ("Olivetti Lettera 32", "typewriter", 1965, "4417802", "QWERTY UK", "turquoise", "B3", 265, 14, "Ottoline Braithwaite", "2029-08-21"),
    "VX-0402": ("Hermes 3000", "typewriter", 1961, "3088417", "QWERTZ", "sea green", "B5", 420, 19, "Ottoline Braithwaite", "2029-05-30"),
    "VX-0403": ("Hermes Baby", "typewriter", 1952, "5210336", "AZERTY", "grey", "B6", 230, 12, "Jonah Pell", "2029-09-12"),
    "VX-0405": ("Blickensderfer 5", "typewriter", 1898, "61274", "DHIATENSOR", "nickel and oak", "Vault 2", 1350, 65, "Rosalind Tchen", "2028-11-08"),
    "VX-0408": ("Underwood No. 5", "typewriter", 1924, "1733209-5", "QWERTY US", "black", "D1", 480, 26, "Kwabena Osei-Lund", "2029-07-03"),
    "VX-0409": ("Underwood No. 5", "typewriter", 1919, "1204415-5", "QWERTY US", "black", "D2", 455, 26, "Kwabena Osei-Lund", "2029-02-14"),
    "VX-0411": ("Royal Quiet De Luxe", "typewriter", 1948, "A-1688243", "QWERTY US", "tweed grey", "B9", 310, 16, "Ottoline Braithwaite", "2029-09-27"),
    "VX-0412": ("Imperial Good Companion", "typewriter", 1934, "BK 417", "QWERTY UK", "gloss black", "C4", 285, 15, "Jonah Pell", "2029-06-19"),
    "VX-0415": ("Remington Noiseless 7", "typewriter", 1936, "H 72815", "QWERTY UK", "crackle black", "C7", 340, 18, "Kwabena Osei-Lund", "2029-03-22"),
    "VX-0418": ("Mignon Model 4", "typewriter", 1927, "227190", "index plate", "black", "Vault 1", 690, 38, "Rosalind Tchen", "2029-01-31"),
    "VX-0420": ("Erika 5", "typewriter", 1936, "632118/5", "QWERTZ", "maroon", "C9", 375, 20, "Ottoline Braithwaite", "2029-04-11"),
    "VX-0421": ("Groma Kolibri", "typewriter", 1957, "418806", "QWERTZ", "beige", "B1", 640, 30, "Ottoline Braithwaite", "2029-08-02"),
    "VX-0424": ("Olympia SM9", "typewriter", 1967, "3512774", "QWERTY UK", "cream", "B8", 295, 15, "Jonah Pell", "2029-07-25"),
    "VX-0426": ("Adler Favorit 2", "typewriter", 1939, "301556", "QWERTZ", "black", "D5", 360, 20, "Kwabena Osei-Lund", "2028-12-06"),
    "VX-0429": ("IBM Selectric II", "typewriter", 1974, "26-8114093", "QWERTY US", "pebble grey", "E2", 890, 44, "Marguerite Achterberg", "2029-09-05"),
    "VX-0430": ("Double Pigeon DHY", "typewriter", 1971, "SH-70944", "Chinese tray bed", "dark green", "E6", 1180, 55, "Rosalind Tchen", "2029-05-16"),
    "VX-0433": ("Curta Type II", "calculator", 1963, "553120", "-", "black", "Vault 4", 1640, 70, "Piet Vandersloot", "2029-09-19"),
    "VX-0434": ("Brunsviga 20", "calculator", 1951, "20-14408", "-", "black crinkle", "F1", 330, 17, "Piet Vandersloot", "2029-04-26"),
    "VX-0436": ("Facit C1-13", "calculator", 1958, "964227", "-", "olive", "F3", 195, 11, "Piet Vandersloot", "2029-06-07"),
    "VX-0437": ("Friden STW-10", "calculator", 1955, "ST-588102", "-", "grey-brown", "F6", 540, 32, "Piet Vandersloot", "2029-08-29"),
    "VX-0440": ("Monroe LA5-160", "calculator", 1947, "402877", "-", "grey", "F8", 385, 22, "Piet Vandersloot", "2028-10-24"),
    "VX-0441": ("Comptometer Model J", "calculator", 1928, "J258834", "-", "copper bronze", "F9", 410, 24, "Rosalind Tchen", "2029-02-28"),
    "VX-0444": ("Odhner 239", "calculator", 1962, "39-710663", "-", "light grey", "F2", 210, 12, "Emrys Vaughan-Hale", "2029-09-14"),
    "VX-0447": ("Burroughs Class 3", "calculator", 1916, "3-190277", "-", "black and glass", "G1", 975, 48, "Rosalind Tchen", "2029-03-07"),
}
IN_WORKSHOP = {"VX-0440", "VX-0426"}

# id: name, kind, contact person, phone, e-mail, town, discount in per cent
CUSTOMERS = {
    "C/1104": ("Ingrid Salvesen", "private", None, "01632 960417", "ingrid@salvesen.example", "Thornsea", 0),
    "C/1109": ("Harald Salvesen", "private", None, "01632 960552", "h.salvesen@post.example", "Ashcombe", 0),
    "C/1118": ("Lantern Yard Films", "film", "Priya Raghunathan", "020 7946 0183", "hire@lanternyard.example", "Bristol", 10),
    "C/1121": ("Saltmarsh Pictures", "film", "Dominic Farrow", "020 7946 0714", "props@saltmarsh.example", "London", 12),
    "C/1126": ("Gannet Row Productions", "film", "Solveig Hartnell", "01632 960238", "art@gannetrow.example", "Port Selwyn", 5),
    "C/1130": ("Tobias Ekwall", "collector", None, "01632 960871", "ekwall@collect.example", "Netherby", 7.5),
    "C/1133": ("Adunni Oyelaran", "private", None, "01632 960366", "adunni.o@mail.example", "Dunstow", 0),
    "C/1137": ("Brackenfield Town Museum", "museum", "Gwendolyn Pryce", "01632 960900", "keeper@brackenmuseum.example", "Brackenfield", 15),
    "C/1142": ("Mei-Lan Zhou", "collector", None, "01632 960629", "meilan@zhou.example", "Harrowmere", 7.5),
    "C/1145": ("Percival Quennell", "private", None, "01632 960150", "pq@quennell.example", "Vexleigh", 0),
    "C/1151": ("Sigrun Brandvold", "private", None, "01632 960783", "sigrun.b@post.example", "Caldbeck Ferry", 0),
    "C/1156": ("Old Bakery Theatre", "theatre", "Luca Marchetti", "01632 960445", "stage@oldbakery.example", "Ashcombe", 8),
    "C/1160": ("Ferdinand Uhlmann", "collector", None, "+49 30 5550 1427", "uhlmann@rechnen.example", "Harrowmere", 7.5),
    "C/1164": ("Northlight Television", "film", "Catrin Bevan", "0117 496 0318", "sets@northlight.example", "Bristol", 10),
    "C/1169": ("Delphine Marchetti-Rowe", "private", None, "01632 960094", "delphine@rowe.example", "Thornsea", 0),
    "C/1172": ("Hobday & Finch Solicitors", "business", "Maud Finch", "01632 960511", "office@hobdayfinch.example", "Vexleigh", 3),
    "C/1178": ("Caspian Thorne", "private", None, "01632 960267", "caspian@thorne.example", "Dunstow", 0),
    "C/1183": ("Wyvern Street Studios", "film", "Ruaridh Lomax", "020 7946 0929", "hire@wyvernst.example", "Marlow Sands", 10),
    "C/1187": ("Yolanda Przybylski", "private", None, "01632 960738", "yolanda@prz.example", "Netherby", 0),
    "C/1190": ("St Aldhelm's School", "school", "Ignatius Boateng", "01632 960604", "bursar@staldhelm.example", "Brackenfield", 5),
}

# no: customer, machine, fault, mechanic, state, received, promised, parts needed, labour hours
TICKETS = {
    "RT-5498": ("C/1145", "Royal Arrow 1938", "carriage return lever snapped off", "Ottoline Braithwaite", "ready to collect", "2029-08-30", "2029-10-12", [], 2.5),
    "RT-5501": ("C/1172", "Underwood Touchmaster Five", "tabulator skips stops", "Kwabena Osei-Lund", "on the bench", "2029-09-04", "2029-10-26", [], 4.0),
    "RT-5502": ("C/1187", "Olivetti Valentine", "carriage does not advance when typing", "Ottoline Braithwaite", "on the bench", "2029-09-05", "2029-10-25", ["PT-3115-D"], 3.0),
    "RT-5504": ("C/1160", "Brunsviga 13 RK", "clearing crank blocked", "Piet Vandersloot", "waiting for parts", "2029-09-06", "2029-11-16", ["PT-4402-C"], 5.5),
    "RT-5507": ("C/1137", "Burroughs Portable adder", "keys stay down in two columns", "Rosalind Tchen", "on the bench", "2029-09-08", "2029-11-02", ["PT-4618-S"], 6.0),
    "RT-5508": ("C/1169", "Hermes Baby", "ribbon does not lift for red", "Jonah Pell", "to be quoted", "2029-09-11", "2029-10-31", [], 1.5),
    "RT-5510": ("C/1104", "Smith-Corona Sterling", "letter e prints twice", "Ottoline Braithwaite", "waiting for parts", "2029-09-13", "2029-11-09", ["PT-3140-E"], 2.0),
    "RT-5512": ("C/1156", "Imperial 66", "feet perished, machine walks over the table", "Kwabena Osei-Lund", "waiting for parts", "2029-09-14", "2029-11-13", ["PT-3288-F"], 1.0),
    "RT-5513": ("C/1130", "Curta Type I", "crank will not turn past five", "Piet Vandersloot", "on the bench", "2029-09-18", "2029-12-14", ["PT-4431-Z"], 11.5),
    "RT-5515": ("C/1190", "Olympia SG3", "platen rock hard, paper slips", "Kwabena Osei-Lund", "waiting for parts", "2029-09-19", "2029-11-20", ["PT-3307-K"], 3.5),
    "RT-5516": ("C/1109", "Facit TP2", "space bar dead", "Jonah Pell", "on the bench", "2029-09-20", "2029-10-30", [], 2.0),
    "RT-5518": ("C/1178", "Olympia SM3", "draw cord broken", "Ottoline Braithwaite", "on the bench", "2029-09-21", "2029-10-24", ["PT-3116-D"], 1.5),
    "RT-5520": ("C/1142", "Double Pigeon DHY", "pick-up arm drops the slugs", "Rosalind Tchen", "on the bench", "2029-09-25", "2029-11-28", [], 9.0),
    "RT-5521": ("C/1151", "Groma Kolibri", "margin release bent, bell silent", "Ottoline Braithwaite", "waiting for parts", "2029-09-26", "2029-11-23", ["PT-3162-B"], 3.0),
    "RT-5523": ("C/1133", "IBM Selectric I", "motor hums but does not start", "Marguerite Achterberg", "waiting for parts", "2029-09-27", "2029-11-15", ["PT-3521-M"], 4.5),
    "RT-5524": ("C/1145", "Adler Gabriele 35", "case lock lost its key", "Jonah Pell", "to be quoted", "2029-09-28", "2029-11-06", [], 0.5),
    "RT-5526": ("C/1137", "Comptometer Model ST", "carry fails above 9,999", "Rosalind Tchen", "to be quoted", "2029-10-02", "2029-12-05", ["PT-4620-S"], 8.0),
    "RT-5527": ("C/1164", "Smith-Corona Electra 120", "drive belt shredded", "Marguerite Achterberg", "waiting for parts", "2029-10-03", "2029-11-08", ["PT-3530-R"], 2.0),
    "RT-5529": ("C/1172", "Monroe CSA-10", "motor brushes worn", "Piet Vandersloot", "on the bench", "2029-10-04", "2029-11-21", ["PT-4455-M"], 3.0),
    "RT-5530": ("C/1178", "Remington Rand 17", "keytops cracked", "Kwabena Osei-Lund", "to be quoted", "2029-10-05", "2029-12-11", ["PT-3270-T"], 5.0),
    "RT-5532": ("C/1130", "Millionaire multiplying machine", "gear train gummed up", "Piet Vandersloot", "to be quoted", "2029-10-09", "2030-01-25", [], 22.0),
    "RT-5533": ("C/1187", "Brother Deluxe 895", "escapement chatters", "Kwabena Osei-Lund", "on the bench", "2029-10-10", "2029-11-27", [], 2.0),
    "RT-5535": ("C/1151", "Odhner Arithmos 5", "rust on the setting levers", "Emrys Vaughan-Hale", "on the bench", "2029-10-12", "2029-11-30", [], 6.5),
    "RT-5536": ("C/1169", "Juwel Model 3", "type plate missing", "Rosalind Tchen", "to be quoted", "2029-10-16", "2030-01-11", [], 7.0),
}

# no: what, fits, bin, on hand, minimum, price, supplier, days to deliver
PARTS = {
    "PT-3101-R": ("ribbon, black, 13 mm, DIN spool", "most portables", "A01", 84, 40, 6.80, "Lindqvist Ribbons", 4),
    "PT-3102-R": ("ribbon, black and red, 13 mm, DIN spool", "most portables", "A02", 57, 40, 7.40, "Lindqvist Ribbons", 4),
    "PT-3104-R": ("ribbon, purple, 13 mm, DIN spool", "most portables", "A03", 9, 12, 8.10, "Lindqvist Ribbons", 4),
    "PT-3108-R": ("ribbon spool, metal, pair", "Underwood No. 5", "A07", 6, 4, 14.50, "Tarrant & Daughters", 9),
    "PT-3109-R": ("ribbon spool, metal, pair", "Hermes 3000, Hermes Baby", "A08", 3, 4, 12.90, "Tarrant & Daughters", 9),
    "PT-3115-D": ("draw cord, waxed, 62 cm", "Olivetti Lettera 22/32, Valentine", "C11", 17, 10, 4.20, "Brook Cordage", 6),
    "PT-3116-D": ("draw cord, waxed, 70 cm", "Olympia SM3, SM9", "C12", 8, 10, 4.60, "Brook Cordage", 6),
    "PT-3117-D": ("draw band, steel", "Underwood No. 5", "C13", 2, 2, 19.00, "Tarrant & Daughters", 9),
    "PT-3140-E": ("escapement dog spring", "Smith-Corona Sterling, Silent", "C22", 0, 5, 3.35, "Felber Federn", 12),
    "PT-3141-E": ("escapement wheel", "Olympia SM9", "C23", 1, 2, 38.00, "Rademacher Ersatzteile", 14),
    "PT-3162-B": ("margin bell with hammer", "Groma Kolibri, Groma N", "C31", 0, 1, 27.50, "Rademacher Ersatzteile", 14),
    "PT-3163-B": ("margin bell", "Olympia SM3, SM9, SG1", "C32", 5, 2, 16.20, "Rademacher Ersatzteile", 14),
    "PT-3207-P": ("platen recover, 25 cm", "Hermes 3000", "D04", 4, 2, 74.00, "Averill Rubber", 15),
    "PT-3208-P": ("platen recover, 24 cm", "Olympia SM9", "D05", 3, 2, 69.00, "Averill Rubber", 15),
    "PT-3210-P": ("feed rollers, set of four", "Olympia SM9", "D08", 7, 3, 31.00, "Averill Rubber", 15),
    "PT-3211-P": ("feed rollers, set of four", "Olivetti Lettera 22/32", "D09", 11, 3, 29.50, "Averill Rubber", 15),
    "PT-3270-T": ("keytop, glass, ringed, blank", "Remington, Underwood", "E15", 63, 30, 2.25, "Tarrant & Daughters", 9),
    "PT-3271-T": ("keytop, Bakelite, set of 44", "Erika 5, Erika M", "E16", 1, 1, 58.00, "Rademacher Ersatzteile", 14),
    "PT-3288-F": ("rubber foot, 22 mm, screw-in", "Imperial 55, 66", "E27", 3, 16, 3.90, "Averill Rubber", 15),
    "PT-3289-F": ("rubber foot, 18 mm, push-in", "Olympia SM3, SM9", "E28", 22, 16, 3.10, "Averill Rubber", 15),
    "PT-3301-K": ("platen knob, left", "Olympia SM9", "D21", 6, 2, 9.80, "Rademacher Ersatzteile", 14),
    "PT-3302-K": ("platen knob, right", "Olympia SM9", "D22", 2, 2, 9.80, "Rademacher Ersatzteile", 14),
    "PT-3307-K": ("platen core with rubber, 33 cm", "Olympia SG1, SG3", "D26", 1, 1, 112.00, "Averill Rubber", 15),
    "PT-3340-L": ("carriage lock lever", "Olympia SM9", "D33", 0, 1, 13.70, "Rademacher Ersatzteile", 14),
    "PT-3344-L": ("line space pawl", "Olympia SM3, SM9", "D35", 4, 2, 11.25, "Rademacher Ersatzteile", 14),
    "PT-3350-L": ("carriage return lever, chromed", "Olympia SM9", "D37", 3, 1, 21.40, "Rademacher Ersatzteile", 14),
    "PT-3360-S": ("shift spring", "Olympia SM9", "C41", 14, 6, 1.95, "Felber Federn", 12),
    "PT-3361-S": ("key return spring", "Olympia SM3, SM9", "C42", 48, 30, 0.85, "Felber Federn", 12),
    "PT-3362-S": ("mainspring in drum", "Olympia SM9", "C43", 1, 1, 34.60, "Felber Federn", 12),
    "PT-3410-C": ("case, hard shell, grey", "Olympia SM9", "H02", 2, 1, 46.00, "Tarrant & Daughters", 9),
    "PT-3411-C": ("case latch", "Olympia SM9", "H03", 5, 4, 7.60, "Tarrant & Daughters", 9),
    "PT-3521-M": ("start capacitor, 8 uF", "IBM Selectric I, II", "M03", 12, 6, 18.40, "Electro-Hadfield", 3),
    "PT-3530-R": ("drive belt, toothed", "Smith-Corona Electra 110, 120", "M09", 0, 3, 22.75, "Electro-Hadfield", 3),
    "PT-4402-C": ("clearing crank pinion", "Brunsviga 13, 20", "K05", 0, 2, 41.30, "Rademacher Ersatzteile", 14),
    "PT-4431-Z": ("stepped drum bearing", "Curta Type I, II", "K18", 2, 2, 96.00, "Contina Spares", 21),
    "PT-4455-M": ("carbon brush, pair", "Monroe CSA, LA5", "M17", 9, 4, 8.95, "Electro-Hadfield", 3),
    "PT-4618-S": ("key stem spring, pack of ten", "Burroughs adders", "K29", 15, 5, 5.60, "Felber Federn", 12),
    "PT-4620-S": ("carry pawl spring", "Comptometer J, ST", "K31", 4, 6, 6.15, "Felber Federn", 12),
}

# no: customer, production, machines, first day, last day, deposit, to
HIRES = {
    "H-2271": ("C/1164", "Inspector Vane, series 3", ["VX-0408", "VX-0415"], "2029-06-25", "2029-07-13", 650, "Bristol"),
    "H-2272": ("C/1183", "The Pale Ledger", ["VX-0434", "VX-0437", "VX-0441"], "2029-07-02", "2029-07-20", 900, "Marlow Sands"),
    "H-2273": ("C/1121", "Miss Pargeter Types", ["VX-0412"], "2029-07-09", "2029-07-27", 250, "London"),
    "H-2274": ("C/1118", "Nine Carbon Copies", ["VX-0408", "VX-0409", "VX-0411", "VX-0415"], "2029-07-30", "2029-08-17", 1250, "Bristol"),
    "H-2275": ("C/1156", "Dial O for Olivia (stage)", ["VX-0401"], "2029-08-06", "2029-08-11", 180, "Ashcombe"),
    "H-2276": ("C/1126", "Harbour Lights at Five", ["VX-0424"], "2029-08-13", "2029-08-24", 200, "Port Selwyn"),
    "H-2277": ("C/1183", "The Tin Abacus", ["VX-0433", "VX-0447"], "2029-08-20", "2029-08-31", 2100, "London"),
    "H-2278": ("C/1164", "Counting House Blues", ["VX-0436", "VX-0444"], "2029-08-27", "2029-09-07", 320, "Bristol"),
    "H-2280": ("C/1121", "A Letter to Mr Crane", ["VX-0402", "VX-0420"], "2029-09-03", "2029-09-14", 700, "London"),
    "H-2282": ("C/1118", "Ribbon and Rain", ["VX-0421"], "2029-09-10", "2029-09-21", 550, "Bristol"),
    "H-2283": ("C/1156", "The Clerk's Tale (stage)", ["VX-0409"], "2029-09-17", "2029-09-29", 300, "Ashcombe"),
    "H-2285": ("C/1183", "Vault of Echoes", ["VX-0405"], "2029-09-24", "2029-10-05", 1200, "Marlow Sands"),
    "H-2286": ("C/1164", "Inspector Vane, series 4", ["VX-0408", "VX-0429", "VX-0437"], "2029-10-08", "2029-11-23", 1500, "Bristol"),
    "H-2288": ("C/1126", "Ash and Ember", ["VX-0424"], "2029-10-08", "2029-10-26", 220, "Port Selwyn"),
    "H-2289": ("C/1121", "The Quiet Cipher", ["VX-0402"], "2029-10-11", "2029-11-02", 450, "London"),
    "H-2291": ("C/1183", "Marigold's War", ["VX-0412", "VX-0415", "VX-0401", "VX-0411"], "2029-10-15", "2029-10-27", 980, "Marlow Sands"),
    "H-2293": ("C/1156", "Twelve Angry Clerks (stage)", ["VX-0436", "VX-0444"], "2029-10-30", "2029-11-10", 340, "Ashcombe"),
    "H-2294": ("C/1118", "Cold Carriage", ["VX-0409", "VX-0403", "VX-0420", "VX-0421", "VX-0434"], "2029-11-05", "2029-12-07", 1700, "Caldbeck Ferry"),
    "H-2296": ("C/1164", "The Chinese Typist", ["VX-0430"], "2029-11-19", "2029-12-14", 1100, "Harrowmere"),
}

# no: ticket, issued, valid until, parts in pounds, what is done
QUOTES = {
    "Q29-071": ("RT-5504", "2029-09-12", "2029-11-12", 41.30, "free the clearing crank and replace its pinion"),
    "Q29-073": ("RT-5513", "2029-09-25", "2029-11-25", 192.00, "dismantle the Curta completely and replace two drum bearings"),
    "Q29-074": ("RT-5515", "2029-09-26", "2029-10-31", 112.00, "replace the platen and clean the paper path"),
    "Q29-077": ("RT-5520", "2029-10-02", "2029-12-02", 0.00, "rebuild and adjust the pick-up arm"),
    "Q29-079": ("RT-5523", "2029-10-04", "2029-11-18", 18.40, "replace the start capacitor and rewire the motor"),
    "Q29-080": ("RT-5527", "2029-10-09", "2029-11-09", 22.75, "replace the drive belt and align the pulleys"),
    "Q29-082": ("RT-5510", "2029-10-11", "2029-11-14", 3.35, "replace the escapement dog spring and adjust the escapement"),
}

# town: miles, first piece, every further piece
VAN = {
    "Vexleigh": (2, 8.0, 2.0), "Ashcombe": (11, 18.0, 3.5), "Brackenfield": (16, 22.0, 4.0), "Caldbeck Ferry": (38, 47.0, 6.5),
    "Dunstow": (9, 16.0, 3.0), "Harrowmere": (27, 34.0, 5.0), "Marlow Sands": (54, 66.0, 8.0), "Netherby": (21, 28.0, 4.5),
    "Port Selwyn": (33, 41.0, 6.0), "Thornsea": (45, 55.0, 7.0), "Bristol": (72, 84.0, 9.0), "London": (118, 135.0, 12.0),
}

CARE = {
    "ribbon": "Changing a ribbon. Note which way the ribbon runs before you lift the spools. Wind the old ribbon onto one spool, keep "
    "the spool if it is metal, and thread the new one with the red half below. A black ribbon in daily use lasts about 9 weeks; "
    "re-inking is not advised more than twice.",
    "platen": "Cleaning the platen. Wipe the rubber with a cloth damp with isopropyl alcohol, never with petrol or acetone. Turn it "
    "by hand, three full turns. A platen harder than 98 Shore marks the paper and should be recovered; we measure it free of charge.",
    "storage": "Storing a machine. Keep it in a dry room at 45 to 55 per cent humidity and between 12 and 22 degrees, in its case with "
    "the lid ajar, and put a 40 g sachet of silica gel beside it. Change the sachet every 4 months. Never store it in a loft.",
    "oiling": "Oiling a calculator. One drop of House Oil No. 2 on each bearing every 18 months is enough; Curtas are never oiled by "
    "their owners. Never spray anything into a machine. After oiling turn the crank 25 times without load.",
    "transport": "Moving a machine. Lock the carriage or tie it in the middle, release the paper, and stand the machine on 6 cm of foam. "
    "Selectrics travel with the type element taken off. Let the machine rest 3 hours after a cold journey before use.",
    "type": "Cleaning the type. Use a dry brass-free brush and press cleaning putty on the slugs; 20 minutes with putty are better than "
    "any solvent. Always brush from the segment towards yourself, so that the dirt does not fall into it.",
}

SLOTS = ["09:00", "10:00", "11:00", "13:00", "14:00", "15:00", "16:00"]


def _words(text: str) -> list[str]:
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in re.findall(r"[\w-]+", text.casefold())]


def _number(kind: str, given: str, table: dict, sample: str) -> str:
    key = re.sub(r"\s+", "", given).upper()
    if key in table:
        return key
    digits = re.findall(r"\d+", key)
    found = [known for known in table if digits and re.findall(r"\d+", known)[-len(digits):] == digits]
    if len(found) == 1:
        return found[0]
    raise ToolError(f"There is no {kind} {given!r}. Numbers look like {sample}.")


def _mechanic(name: str) -> str:
    wanted = [word for word in _words(name) if word not in ("mr", "mrs", "ms", "miss", "herr", "frau")]
    found = [full for full in MECHANICS if wanted and all(any(part.startswith(w) for part in _words(full)) for w in wanted)]
    if len(found) == 1:
        return found[0]
    raise ToolError(f"No single mechanic is called {name!r}. Mechanics: {', '.join(MECHANICS)}.")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise ToolError(f"{text!r} is not a day. Write days as YYYY-MM-DD.") from None


def _reference(prefix: str, *parts: object) -> str:
    return f"{prefix}{1000 + zlib.crc32('|'.join(map(str, parts)).encode()) % 9000}"


def _hire_of(stock_no: str) -> str | None:
    for no, row in HIRES.items():
        if stock_no in row[2] and date.fromisoformat(row[3]) <= TODAY <= date.fromisoformat(row[4]):
            return no
    return None


def _status(stock_no: str) -> str:
    return "on hire" if _hire_of(stock_no) else "in workshop" if stock_no in IN_WORKSHOP else "in house"


def _free(full: str, day: date) -> list[str]:
    if WEEKDAYS[day.weekday()] in ["Sunday", "Monday", *MECHANICS[full][4]] or day < TODAY:
        return []
    seed = zlib.crc32(f"{full}{day}".encode())
    return [slot for place, slot in enumerate(SLOTS) if seed >> (2 * place) & 3 == 0 or seed >> (place + 16) & 7 == 1]


@tool(effect="read", integrity="trusted")
def search_machines(text: str, status: str = "") -> list[dict[str, object]]:
    """Search the house's own machines (for sale or hire) by make, model, kind or year.

    Args:
        text: Words to look for, such as "Royal", "calculator" or "1951".
        status: Only machines with this status: "in house", "on hire" or "in workshop". Empty: all.
    """
    if status.strip() and status.strip().casefold() not in ("in house", "on hire", "in workshop"):
        raise ToolError('The status is "in house", "on hire", "in workshop" or empty.')
    rows = []
    for no, row in MACHINES.items():
        hay = " ".join(_words(f"{no} {row[0]} {row[1]} {row[2]}"))
        if all(word in hay for word in _words(text)) and status.strip().casefold() in ("", _status(no)):
            rows.append({"stock_no": no, "machine": row[0], "kind": row[1], "year": row[2], "status": _status(no)})
    if not rows:
        raise ToolError(f"No machine of the house matches {text!r}. Try only the make, or only the model.")
    return rows


@tool(effect="read", integrity="trusted")
def machine_card(stock_no: str) -> dict[str, object]:
    """The full card of one of the house's machines: serial number, keyboard, colour, shelf, prices, last service, current hire.

    Args:
        stock_no: Stock number, such as VX-0499.
    """
    key = _number("machine", stock_no, MACHINES, "VX-0499; search_machines finds them by make or model")
    row = MACHINES[key]
    return {
        "stock_no": key, "machine": row[0], "kind": row[1], "year": row[2], "serial_no": row[3], "keyboard": row[4],
        "colour": row[5], "shelf": row[6], "asking_price_gbp": row[7], "day_rate_gbp": row[8], "status": _status(key),
        "hire_no": _hire_of(key), "last_service": {"by": row[9], "on": row[10]},
    }


@tool(effect="read", integrity="trusted")
def find_customer(name: str) -> list[dict[str, object]]:
    """Customers by name: contact, phone, town, discount, and the numbers of their open tickets, current hires and quotes.

    Args:
        name: Name or part of it, of the customer or of the contact person; a customer number such as C/1999 also does.
    """
    wanted = [word for word in _words(name) if word not in ("mr", "mrs", "ms", "miss", "herr", "frau", "dr", "the", "and")]
    rows = []
    for key, row in CUSTOMERS.items():
        hay = " ".join(_words(f"{row[0]} {row[2] or ''}"))
        if wanted and (all(word in hay for word in wanted) or name.strip().upper() == key):
            rows.append({
                "customer_no": key, "name": row[0], "kind": row[1], "contact": row[2], "phone": row[3], "email": row[4],
                "town": row[5], "discount_pct": row[6],
                "open_tickets": [no for no, t in TICKETS.items() if t[0] == key],
                "hires": [no for no, h in HIRES.items() if h[0] == key and date.fromisoformat(h[4]) >= TODAY],
                "quotes": [no for no, q in QUOTES.items() if TICKETS[q[0]][0] == key],
            })
    if not rows:
        raise ToolError(f"No customer matches {name!r}. Try the last name alone, or one word of the company's name.")
    return rows


@tool(effect="read", integrity="trusted")
def workshop_board(mechanic: str = "") -> list[dict[str, object]]:
    """The board in the workshop: all open repairs with machine, mechanic, state and promised day.

    Args:
        mechanic: Only this mechanic's repairs. Empty: everybody's.
    """
    only = _mechanic(mechanic) if mechanic.strip() else ""
    return [
        {"ticket": no, "machine": t[1], "mechanic": t[3], "state": t[4], "promised": t[6]}
        for no, t in TICKETS.items() if only in ("", t[3])
    ]


@tool(effect="read", integrity="trusted")
def repair_ticket(ticket_no: str) -> dict[str, object]:
    """One repair ticket: customer, machine, fault, mechanic, state, days, parts needed and hours of labour.

    Args:
        ticket_no: Ticket number, such as RT-5599.
    """
    key = _number("ticket", ticket_no, TICKETS, "RT-5599; a customer's open tickets are in find_customer")
    t = TICKETS[key]
    return {
        "ticket": key, "customer": CUSTOMERS[t[0]][0], "machine": t[1], "fault": t[2], "mechanic": t[3], "state": t[4],
        "received": t[5], "promised": t[6], "parts_needed": t[7], "labour_hours": t[8],
    }


@tool(effect="read", integrity="trusted")
def spare_parts(search: str) -> list[dict[str, object]]:
    """Spare parts in the store: bin, quantity on hand, price, supplier. At most 25 rows.

    Args:
        search: A part number such as PT-3999-X, or English words for the part and the model it fits, such as "spring Olympia".
    """
    rows = []
    for no, p in PARTS.items():
        hay = " ".join(_words(f"{no} {p[0]} {p[1]}"))
        if all(word in hay for word in _words(search)):
            rows.append({
                "part_no": no, "part": p[0], "fits": p[1], "bin": p[2], "on_hand": p[3], "minimum": p[4], "price_gbp": p[5],
                "supplier": p[6], "delivery_days": p[7],
            })
    if not rows:
        raise ToolError(f"No part matches {search!r}. Try one word for the part, or only the model.")
    return rows[:25]


@tool(effect="read", integrity="trusted")
def mechanic_profile(name: str) -> dict[str, object]:
    """A mechanic of the house: bench, telephone extension, trade, hourly rate, days at work, apprentice.

    Args:
        name: First name, last name or both.
    """
    full = _mechanic(name)
    m = MECHANICS[full]
    return {
        "name": full, "bench": m[0], "extension": m[1], "trade": m[2], "hourly_rate_gbp": m[3],
        "works": [d for d in WEEKDAYS[1:6] if d not in m[4]], "apprentice": m[5], "since": m[6],
    }


@tool(effect="read", integrity="trusted")
def bench_slots(mechanic: str, day: str) -> dict[str, object]:
    """Hours that are still free at a mechanic's bench on a day.

    Args:
        mechanic: The mechanic's name.
        day: The day, YYYY-MM-DD.
    """
    full, when = _mechanic(mechanic), _day(day)
    free = _free(full, when)
    weekday = WEEKDAYS[when.weekday()]
    off = weekday in ["Sunday", "Monday", *MECHANICS[full][4]]
    note = f"does not work on {weekday}s" if off else "fully booked" if not free else ""
    return {"mechanic": full, "day": when.isoformat(), "weekday": weekday, "free": free, "note": note}


@tool(effect="read", integrity="trusted")
def hire_contract(hire_no: str) -> dict[str, object]:
    """One hire contract: customer, production, machines, days, deposit and where the machines go.

    Args:
        hire_no: Contract number, such as H-2299.
    """
    key = _number("hire", hire_no, HIRES, "H-2299; hires_between lists them, find_customer has a customer's")
    h = HIRES[key]
    return {
        "hire_no": key, "customer": CUSTOMERS[h[0]][0], "production": h[1], "machines": h[2], "first_day": h[3], "last_day": h[4],
        "deposit_gbp": h[5], "deliver_to": h[6], "daily_total_gbp": sum(MACHINES[no][8] for no in h[2]),
    }


@tool(effect="read", integrity="trusted")
def hires_between(first_day: str, last_day: str) -> list[dict[str, object]]:
    """Hires, past and coming, that run on at least one day of a period: production, number of machines, days, deposit.

    Args:
        first_day: First day of the period, YYYY-MM-DD.
        last_day: Last day of the period, YYYY-MM-DD.
    """
    start, end = _day(first_day), _day(last_day)
    if end < start:
        raise ToolError("The last day lies before the first one.")
    return [
        {"hire_no": no, "production": h[1], "pieces": len(h[2]), "from": h[3], "to": h[4], "deposit_gbp": h[5]}
        for no, h in HIRES.items() if date.fromisoformat(h[3]) <= end and date.fromisoformat(h[4]) >= start
    ]


@tool(effect="read", integrity="trusted")
def quote_letter(quote_no: str) -> str:
    """The text of a quote that was sent to a customer: work, amounts, VAT, validity.

    Args:
        quote_no: Quote number, such as Q29-099.
    """
    key = _number("quote", quote_no, QUOTES, "Q29-099; a customer's quotes are in find_customer")
    ticket, issued, valid, parts, work = QUOTES[key]
    t = TICKETS[ticket]
    labour = t[8] * MECHANICS[t[3]][3]
    net = parts + labour
    return (
        f"Quote {key} of {issued} to {CUSTOMERS[t[0]][0]}, repair ticket {ticket} ({t[1]}). We offer to {work}. "
        f"Parts come to £{parts:.2f}, labour to £{labour:.2f} ({t[8]:g} hours), together £{net:.2f} net; with 20 % VAT "
        f"the total is £{net * 1.2:.2f}. This quote is valid until {valid}. Vexleigh Typewriter House."
    )


@tool(effect="read", integrity="trusted")
def van_fee(town: str, pieces: int) -> dict[str, object]:
    """What the house's van costs, one way, for a number of machines to a town.

    Args:
        town: The town.
        pieces: How many machines, 1 to 12.
    """
    found = [name for name in VAN if town.strip() and (town.strip().casefold() in name.casefold() or name.casefold() in town.casefold())]
    if len(found) != 1:
        raise ToolError(f"The van does not go to {town!r}. Towns: {', '.join(VAN)}.")
    if not 1 <= pieces <= 12:
        raise ToolError("The van takes 1 to 12 machines.")
    miles, first, more = VAN[found[0]]
    return {"town": found[0], "miles": miles, "pieces": pieces, "van": "large" if pieces > 4 else "small", "fee_gbp": first + more * (pieces - 1)}


@tool(effect="read", integrity="trusted")
def care_sheet(subject: str) -> str:
    """The house's care advice for owners, as a short text.

    Args:
        subject: One of: ribbon, platen, storage, oiling, transport, type.
    """
    wanted = subject.casefold()
    found = [key for key in CARE if key in wanted.replace("typewriter", "")] or [key for key in CARE if len(wanted) > 2 and wanted[:3] == key[:3]]
    if not found:
        raise ToolError(f"There is no care sheet about {subject!r}. Subjects: {', '.join(CARE)}.")
    return CARE[found[0]]


@tool(effect="write", integrity="trusted")
def book_bench(ticket_no: str, mechanic: str, day: str, start: str) -> dict[str, object]:
    """Book an hour at a mechanic's bench for a repair ticket.

    Args:
        ticket_no: Ticket number, such as RT-5599.
        mechanic: The mechanic's name.
        day: The day, YYYY-MM-DD.
        start: When the hour starts, such as 10:00.
    """
    key, full, when = _number("ticket", ticket_no, TICKETS, "RT-5599"), _mechanic(mechanic), _day(day)
    match = re.match(r"(\d{1,2})(?::(\d\d))?\s*([ap]m)?", start.strip().casefold())
    if not match:
        raise ToolError("Write the start as 10:00.")
    hour = int(match[1]) % 12 + (12 if match[3] == "pm" else 0) if match[3] else int(match[1])
    slot = f"{hour:02}:{match[2] or '00'}"
    free = _free(full, when)
    if slot not in free:
        raise ToolError(f"{full} is not free on {when} at {slot}. Free that day: {', '.join(free) or 'nothing'}.")
    return {"booking": _reference("BK-", key, full, when, slot), "ticket": key, "mechanic": full, "day": when.isoformat(), "start": slot}


@tool(effect="write", integrity="trusted")
def order_parts(part_no: str, quantity: int) -> dict[str, object]:
    """Order spare parts from their supplier.

    Args:
        part_no: Part number, such as PT-3999-X.
        quantity: How many.
    """
    key = _number("part", part_no, PARTS, "PT-3999-X; spare_parts finds them by words")
    if not 1 <= quantity <= 500:
        raise ToolError("The quantity is 1 to 500.")
    p = PARTS[key]
    return {
        "order_no": _reference("PO-29-", key, quantity), "part_no": key, "part": p[0], "quantity": quantity,
        "supplier": p[6], "cost_gbp": round(p[5] * quantity, 2), "delivery_days": p[7],
    }


@tool(effect="write", integrity="trusted")
def extend_hire(hire_no: str, last_day: str) -> dict[str, object]:
    """Let a running or coming hire end on a later day.

    Args:
        hire_no: Contract number, such as H-2299.
        last_day: The new last day, YYYY-MM-DD.
    """
    key, when = _number("hire", hire_no, HIRES, "H-2299"), _day(last_day)
    old = date.fromisoformat(HIRES[key][4])
    if old < TODAY:
        raise ToolError(f"Hire {key} ended on {old}.")
    if when <= old:
        raise ToolError(f"Hire {key} already runs until {old}; give a later day.")
    extra = (when - old).days
    rate = sum(MACHINES[no][8] for no in HIRES[key][2])
    return {"amendment": _reference("AM-", key, when), "hire_no": key, "old_last_day": old.isoformat(), "new_last_day": when.isoformat(),
            "extra_days": extra, "extra_charge_gbp": extra * rate}
